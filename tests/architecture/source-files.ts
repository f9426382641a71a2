import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Every file of the repository that git tracks or would track, as paths below the root. */
export function sourceFiles(): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(file));
}
