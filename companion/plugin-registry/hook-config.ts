import type { Catalogue } from './plugin.ts';

/** Resolved values of all keys of all plugins and of the core keys hooks share. */
export type HookConfig = Readonly<Record<string, unknown>>;

/** Keys of the reference's core that hooks read and no manifest declares (reference 11). */
const coreDefaults: HookConfig = {
  TIMEOUT: 60,
  USER_AGENT: '',
  RESOLUTION: '1440,2000',
  CHECK_SSL_VALIDITY: true,
  COOKIES_FILE: '',
  PLUGINS: '',
  SNAPSHOT_MAX_SIZE: '',
};

/**
 * Values for hooks: the manifests' defaults, overlaid by the layers from weak to strong (settings file and
 * environment, persona, crawl, snapshot, explicit). A layer may use a key's old names (`x-aliases`); a key that no
 * layer sets takes the value of its `x-fallback`. Texts become the declared type where they can be read as one.
 */
export function resolveHookConfig(
  catalogue: Catalogue,
  layers: readonly Readonly<Record<string, unknown>>[],
): HookConfig {
  const values: Record<string, unknown> = {};
  for (const [key, fallback] of Object.entries(coreDefaults)) {
    values[key] = toType(typeof fallback, lookUp(layers, [key]) ?? fallback);
  }
  const properties = [...catalogue.plugins.values()].flatMap(({ manifest }) => Object.entries(manifest.properties));
  const fallbacks: [string, string, string][] = [];
  for (const [key, property] of properties) {
    const type = Array.isArray(property.type) ? (property.type[0] ?? 'string') : (property.type ?? 'string');
    const given = lookUp(layers, [key, ...(property['x-aliases'] ?? [])]);
    if (given === undefined && property['x-fallback']) fallbacks.push([key, property['x-fallback'], type]);
    values[key] = toType(type, given ?? property.default ?? '');
  }
  for (const [key, source, type] of fallbacks) {
    if (values[source] !== undefined && values[source] !== '') values[key] = toType(type, values[source]);
  }
  return values;
}

function lookUp(layers: readonly Readonly<Record<string, unknown>>[], names: readonly string[]): unknown {
  for (const layer of [...layers].reverse()) {
    for (const name of names) {
      if (layer[name] !== undefined && layer[name] !== null) return layer[name];
    }
  }
  return undefined;
}

/** A text that cannot be read as the type stays as it is; the hook that reads it says so. */
function toType(type: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (type === 'boolean') {
    if (/^(true|1|yes|on)$/i.test(text)) return true;
    if (/^(false|0|no|off|)$/i.test(text)) return false;
  }
  if ((type === 'integer' || type === 'number') && text !== '' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'array') return toList(text);
  return value;
}

/** JSON, or words separated by commas. */
function toList(text: string): unknown {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text);
    } catch {
      return text; // Not JSON after all.
    }
  }
  return text === '' ? [] : text.split(',').map((word) => word.trim());
}
