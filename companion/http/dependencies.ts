import type { AddressVerdict } from '../../shared/url/address-verdict.ts';
import type { Access, Caller } from '../auth/access.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { Settings } from '../config/settings.ts';
import type { Logger } from '../log/logger.ts';
import type { Replay } from '../replay/replay.ts';
import type { Search } from '../search/search.ts';
import type { Uploads } from '../uploads/uploads.ts';
import type { WebShell } from '../web/serve.ts';

/** Everything the HTTP edge stands on; `companion/main.ts` builds it. */
export interface AppDeps {
  collection: Collection;
  access: Access;
  uploads: Uploads;
  search: Search;
  replay: Replay;
  web: WebShell;
  settings: Settings;
  log: Logger;
  /** The port this server really listens on. */
  port: () => number;
  /** Checks an address before it is queued: own and private addresses are refused with a reason. */
  checkAddress: (url: string) => AddressVerdict;
  /** Checks only that the address is not the companion itself, for what a browser shows already. */
  checkOwnAddress: (url: string) => AddressVerdict;
}

/** Facts the middleware leaves for the handlers of one request. */
export interface RequestFacts {
  requestId: string;
  caller: Caller;
}

export type AppEnv = { Variables: RequestFacts };
