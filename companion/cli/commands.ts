import type { Command } from 'commander';
import { addCommand as addAdd } from './add.ts';
import { addCommand as addBackup } from './backup.ts';
import { addCommand as addDoctor } from './doctor.ts';
import { addCommand as addExtract } from './extract.ts';
import { addCommands as addLifecycle } from './lifecycle.ts';
import { addCommand as addList } from './list.ts';
import { addCommand as addLogin } from './login.ts';
import { addCommand as addPair } from './pair.ts';
import { addCommand as addPut } from './put.ts';
import { addCommand as addRebuild } from './rebuild.ts';
import { addCommand as addRemove } from './remove.ts';
import { addCommand as addRun } from './run.ts';
import { addCommand as addSearch } from './search.ts';
import { addCommand as addServe } from './serve.ts';
import { addCommand as addService } from './service.ts';
import { addCommand as addStatus } from './status.ts';
import { addCommand as addToken } from './token.ts';
import { addCommand as addTrash } from './trash.ts';
import { addCommand as addVerify } from './verify.ts';
import { addCommand as addVersion } from './version.ts';

/** Every command, in the order `--help` lists them. Each file registers one and loads what it needs when it runs. */
export const commands: readonly ((program: Command) => void)[] = [
  addServe,
  addAdd,
  addPut,
  addRun,
  addExtract,
  addLifecycle,
  addList,
  addSearch,
  addRemove,
  addTrash,
  addVerify,
  addBackup,
  addRebuild,
  addStatus,
  addPair,
  addLogin,
  addToken,
  addService,
  addDoctor,
  addVersion,
];
