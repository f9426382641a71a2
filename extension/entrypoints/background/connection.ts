import type { CompanionClient } from '../../companion-client/companion-client.ts';
import { CompanionFailure } from '../../companion-client/companion-failure.ts';
import type { ConnectionKind, ConnectionView } from '../../messaging/view-model.ts';

/** What was heard is believed for so long. */
const FRESH_MS = 5_000;

const CONNECTED = 'Connected to Holdfast on this computer.';

/** What is known about the companion, for the pages to show; asks it only when somebody looks. */
export class Connection {
  readonly #client: CompanionClient;
  readonly #onChange: () => void;
  #view: ConnectionView = { kind: 'not_running', sentence: 'Looking for Holdfast on this computer.' };
  #checkedAt = 0;
  #checking: Promise<ConnectionView> | undefined;

  constructor(client: CompanionClient, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  get view(): ConnectionView {
    return this.#view;
  }

  /** The state now, at most a few seconds old. */
  async current(): Promise<ConnectionView> {
    return Date.now() - this.#checkedAt < FRESH_MS ? this.#view : this.check();
  }

  /** Says hello and learns who answers. Several askers share one answer. */
  check(): Promise<ConnectionView> {
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #ask(): Promise<ConnectionView> {
    const before = JSON.stringify(this.#view);
    this.#view = await this.#hello();
    this.#checkedAt = Date.now();
    if (JSON.stringify(this.#view) !== before) this.#onChange();
    return this.#view;
  }

  async #hello(): Promise<ConnectionView> {
    try {
      const hello = await this.#client.connect();
      return { kind: 'connected', sentence: CONNECTED, libraryUrl: hello.ui, version: hello.version };
    } catch (error) {
      if (!(error instanceof CompanionFailure)) throw error;
      return { ...this.#view, kind: toKind(error), sentence: error.message };
    }
  }
}

function toKind(failure: CompanionFailure): ConnectionKind {
  switch (failure.kind) {
    case 'unpaired':
    case 'revoked':
    case 'stranger':
    case 'other_version':
      return failure.kind;
    default:
      return 'not_running';
  }
}
