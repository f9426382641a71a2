import http from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { PageBytes } from '../../companion/replay/rewrite/page-bytes.ts';
import { startReplayBench } from '../helpers/replay-bench.ts';

const MIB = 1024 * 1024;

/** A page of one frame whose document, links and all, stands in an attribute of 20 MiB. */
function bigFrame(): Buffer {
  const link = "<p><a href='/next'>a link</a> and some text</p>";
  return Buffer.from(`<!doctype html><iframe srcdoc="${link.repeat(Math.ceil((20 * MIB) / link.length))}"></iframe>`);
}

function fetchAll(address: URL, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: address.pathname, headers: { host: address.host }, agent: false };
    const request = http.get(options, (response) => {
      let bytes = 0;
      response.on('data', (piece: Buffer) => (bytes += piece.length));
      response.on('end', () => resolve(bytes));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

it('a frame of 20 MiB holds the server up for less than 50 ms', async () => {
  const bench = await startReplayBench();
  try {
    const page = bigFrame();
    const id = await bench.keep({ outputs: [{ path: 'singlefile.html', mimetype: 'text/html', body: page }] });
    const small = await bench.keep({ outputs: [{ path: 'singlefile.html', mimetype: 'text/html', body: '<p>x' }] });
    await fetchAll(new URL(bench.addressOf(small)), bench.port);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    const bytes = await fetchAll(new URL(bench.addressOf(id)), bench.port);
    const servedMs = performance.now() - startedAt;
    delay.disable();
    const idle = monitorEventLoopDelay({ resolution: 1 });
    idle.enable();
    await wait(servedMs);
    idle.disable();
    const stepAt = performance.now();
    const inOneStep = new PageBytes({ documentUrl: 'https://site.example/', linkPrefix: '', xml: false });
    inOneStep.write(page);
    inOneStep.end();
    const stepMs = performance.now() - stepAt;
    const blockMs = delay.max / 1e6;
    process.stdout.write(
      `frame of 20 MiB: longest block ${blockMs.toFixed(0)} ms (goal below 50), served in ${servedMs.toFixed(0)} ms; ` +
        `doing nothing for as long ${(idle.max / 1e6).toFixed(0)} ms; ` +
        `the same in one step on the server's thread ${stepMs.toFixed(0)} ms\n`,
    );
    expect(bytes).toBeGreaterThan(page.length);
    expect.soft(blockMs).toBeLessThan(50);
  } finally {
    await bench.close();
  }
});
