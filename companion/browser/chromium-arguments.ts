export interface ChromiumSetup {
  profileDir: string;
  /** `http://127.0.0.1:<port>` of the egress proxy. */
  proxyAddress: string;
  isRoot: boolean;
  /** Pixels, width and height. */
  windowSize: readonly [number, number];
}

/**
 * Switches of the companion's own browser. The proxy ones are those under which nothing was seen to leave past it
 * (experiments section 12): loopback must be taken off the bypass list, WebRTC must not send its own datagrams, and
 * no name is resolved by the browser.
 */
export function chromiumArguments({ profileDir, proxyAddress, isRoot, windowSize }: ChromiumSetup): string[] {
  return [
    '--headless=new',
    // The pipe is there to be closed: Chromium ends when it does, so it never outlives us.
    '--remote-debugging-pipe',
    '--remote-debugging-port=0',
    `--user-data-dir=${profileDir}`,
    `--window-size=${windowSize.join(',')}`,

    `--proxy-server=${proxyAddress}`,
    '--proxy-bypass-list=<-loopback>',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    '--disable-quic',

    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // It asks its vendor at each start who is signed in; this name exists nowhere (RFC 6761).
    '--gaia-url=https://gaia.invalid',
    '--disable-component-extensions-with-background-pages',
    '--disable-default-apps',
    '--disable-domain-reliability',
    '--disable-breakpad',
    '--disable-client-side-phishing-detection',
    '--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,InterestFeedContentSuggestions',
    '--no-first-run',
    '--no-default-browser-check',
    '--no-pings',
    '--metrics-recording-only',
    '--password-store=basic',
    '--use-mock-keychain',
    '--mute-audio',
    '--hide-scrollbars',

    // Tabs of other runs lie in front; pages must lay out and run their timers all the same.
    '--disable-background-timer-throttling',
    '--disable-backgrounding-occluded-windows',
    '--disable-renderer-backgrounding',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    ...(isRoot ? ['--no-sandbox'] : []),
    'about:blank',
  ];
}
