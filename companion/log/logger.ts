import pino, { type Logger } from 'pino';

export type { Logger };

/** Structured lines on stderr; stdout belongs to results. Secrets are removed by name wherever they stand. */
export function createLogger(level: string, name: string): Logger {
  return pino(
    {
      level,
      name,
      base: { pid: process.pid },
      redact: {
        paths: [
          'authorization',
          'cookie',
          'token',
          'secret',
          'code',
          '*.authorization',
          '*.token',
          '*.secret',
          '*.code',
        ],
      },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
