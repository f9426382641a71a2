/** What may not stand in a file of the repository, with an example that proves the pattern. */
export interface TextRule {
  name: string;
  pattern: RegExp;
  /** Files the rule is about. */
  files: RegExp;
  /** Files that may hold it. */
  except?: RegExp;
  example: string;
}

const code = /[.](ts|tsx|mjs)$/;

export const textRules: readonly TextRule[] = [
  {
    name: 'a path of one machine',
    pattern: /(^|[\s"'`(=])\/(work|root|farm|home\/[a-z]+|Users\/[a-z]+)\//m,
    files: /[.](ts|tsx|mjs|json|md|css|html|toml|sh)$/,
    // Put together here, so that this file holds none itself.
    example: `const folder = '${['', 'root', 'data'].join('/')}';`,
  },
  {
    name: 'the address of a package registry',
    pattern: /https?:\/\/[\w.-]*(registry|npmjs|artifactory|verdaccio|nexus)[\w.-]*/i,
    files: /(^|\/)(package-lock[.]json|[.]npmrc|.*[.](ts|tsx|mjs|json|sh))$/,
    example: `"resolved": "https://${['registry', 'example', 'org'].join('.')}/hono.tgz"`,
  },
  {
    name: 'a test that does not run or runs alone',
    pattern: /\b(it|test|describe|suite)[.](only|skip|todo|fails)\b|\bx(it|describe)\(/,
    files: /[.]test[.]tsx?$/,
    example: "test.only('x', () => {});",
  },
  {
    name: 'a note to oneself',
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    files: code,
    example: '// TODO later',
  },
  {
    name: 'a silenced check',
    pattern: /@ts-(ignore|nocheck|expect-error)|(\bas|:) any *[;,)\]}=|&>]|catch *(\([^)]*\))? *\{ *\}/,
    files: code,
    example: 'try { run(); } catch {}',
  },
  {
    name: 'a request to the network outside the folders that may make one',
    pattern: /(?<![.\w])fetch\(/,
    files: /^(extension|companion|shared)\/.*[.]tsx?$/,
    except: /^(extension\/(capture|companion-client)|companion\/(web\/client\/api|cli|egress))\/|[.]test[.]tsx?$/,
    example: 'const answer = await fetch(address);',
  },
  {
    name: 'what only secure pages have, in code that runs in every page',
    pattern: /crypto[.](subtle|randomUUID)|navigator[.](storage|clipboard|serviceWorker)\b/,
    files: /^extension\/(capture\/page\/|entrypoints\/capture-).*[.]tsx?$/,
    except: /[.]test[.]tsx?$/,
    example: 'const key = crypto.randomUUID();',
  },
  {
    name: 'the surroundings of a hook reached past plugins/kit',
    pattern: /\bprocess[.](env|argv|exit|stdout|stderr|stdin|cwd)\b/,
    files: /^plugins\/.*[.]ts$/,
    except: /^plugins\/kit\/|[.]test[.]ts$/,
    example: 'const folder = process.env.SNAP_DIR;',
  },
  {
    name: 'a browser API outside extension/platform',
    pattern:
      /(?<![.\w])chrome[.](runtime|tabs|storage|scripting|action|alarms|contextMenus|offscreen|permissions|webNavigation|debugger|pageCapture|commands|notifications|downloads)\b/,
    files: /^extension\/.*[.]tsx?$/,
    except: /^extension\/platform\/|[.]test[.]tsx?$/,
    example: 'chrome.tabs.query({});',
  },
];

/** The rules a file breaks, by name with the line. */
export function brokenRules(file: string, text: string): string[] {
  return textRules
    .filter(({ files, except }) => files.test(file) && !except?.test(file))
    .flatMap(({ name, pattern }) => {
      const match = pattern.exec(text);
      return match ? [`${file}:${text.slice(0, match.index + 1).split('\n').length} holds ${name}`] : [];
    });
}

/** Longest file that is still one room with one purpose (style: normally under 150 lines). */
export const fileLinesMax = 400;

export function isTooLong(file: string, text: string): boolean {
  return /[.](ts|tsx|mjs)$/.test(file) && text.split('\n').length - 1 > fileLinesMax;
}
