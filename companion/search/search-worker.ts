import { parentPort, workerData } from 'node:worker_threads';
import { runIndexThread } from './index-thread.ts';
import { runQueryThread } from './query-thread.ts';
import type { WorkerSettings } from './worker-messages.ts';

/** Entry of both threads of the search; `WorkerChannel` starts them. */
const settings = workerData as WorkerSettings;
if (!parentPort) throw new Error('this file is a worker thread of the search');
if (settings.role === 'index') runIndexThread(settings.root, parentPort);
else runQueryThread(settings.root, parentPort);
