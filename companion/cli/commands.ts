import type { Command } from 'commander';
import { addCommand as addServe } from './serve.ts';

/** Every command, in the order `--help` lists them. Each file registers one and loads what it needs when it runs. */
export const commands: readonly ((program: Command) => void)[] = [addServe];
