import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import WebSocket from 'ws';
import { HookFailure } from './context.ts';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

/** Pictures and copies of long pages arrive in one message. */
const messageBytesMax = 512 * 1024 * 1024;

interface Pending {
  method: string;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

type Listener = (parameters: never) => void;

/** An answer of the browser that refuses a command. */
export class CdpError extends Error {
  override name = 'CdpError';
}

/**
 * One connection to a browser's DevTools address. Our own small client, because a whole browser library takes 130 ms
 * to load in each hook and attaches to every tab of the browser that all runs share.
 */
export class CdpConnection {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #lastId = 0;
  #gone: Error | undefined;
  #settleClosed: () => void = () => undefined;
  /** Resolves when the browser or we have ended the connection. */
  readonly closed = new Promise<void>((resolve) => (this.#settleClosed = resolve));

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString('utf8')) as Message));
    socket.on('error', (error) => this.#fail(new HookFailure(`the connection to the browser broke: ${error.message}`)));
    socket.on('close', () => this.#fail(new HookFailure('the browser went away')));
  }

  /** Throws a HookFailure when nobody answers at the address. The aborted signal closes the connection. */
  static connect(address: string, signal: AbortSignal): Promise<CdpConnection> {
    signal.throwIfAborted();
    const socket = new WebSocket(address, { perMessageDeflate: false, maxPayload: messageBytesMax });
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        const connection = new CdpConnection(socket);
        signal.addEventListener('abort', () => connection.#fail(signal.reason as Error), { once: true });
        resolve(connection);
      });
      socket.once('error', (error) => reject(new HookFailure(`no browser answers at ${address}: ${error.message}`)));
    });
  }

  /** The browser itself, or one attached target. */
  session(sessionId?: string): CdpSession {
    return new CdpSession(this, sessionId);
  }

  send(method: string, parameters: unknown, sessionId: string | undefined): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params: parameters ?? {}, sessionId }));
    });
  }

  listen(event: string, sessionId: string | undefined, listener: Listener): () => void {
    const key = listenerKey(event, sessionId);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  close(): void {
    this.#fail(new HookFailure('the connection to the browser was closed'));
  }

  #receive(message: Message): void {
    if (message.id === undefined) {
      const listeners = this.#listeners.get(listenerKey(message.method ?? '', message.sessionId));
      for (const listener of [...(listeners ?? [])]) listener((message.params ?? {}) as never);
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) pending?.reject(new CdpError(`${pending.method}: ${message.error.message}`));
    else pending?.resolve(message.result);
  }

  #fail(reason: Error): void {
    if (this.#gone) return;
    this.#gone = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    this.#socket.terminate();
    this.#settleClosed();
  }
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  sessionId?: string;
  result?: unknown;
  error?: { message: string };
}

function listenerKey(event: string, sessionId: string | undefined): string {
  return `${sessionId ?? ''} ${event}`;
}

export class CdpSession {
  constructor(
    readonly connection: CdpConnection,
    readonly sessionId?: string,
  ) {}

  send<M extends keyof Commands>(
    method: M,
    ...parameters: Commands[M]['paramsType']
  ): Promise<Commands[M]['returnType']> {
    // The protocol's own description is the type; a browser that breaks it is a defect we cannot repair.
    return this.connection.send(method, parameters[0], this.sessionId) as Promise<Commands[M]['returnType']>;
  }

  /** Answers the function that stops listening. */
  on<E extends keyof Events>(event: E, listener: (parameters: Events[E][0]) => void): () => void {
    return this.connection.listen(event, this.sessionId, listener);
  }

  /** The next event that fits, or a HookFailure after `timeoutMs`. */
  waitFor<E extends keyof Events>(
    event: E,
    timeoutMs: number,
    fits: (parameters: Events[E][0]) => boolean = () => true,
  ): Promise<Events[E][0]> {
    return new Promise((resolve, reject) => {
      const settle = (report: () => void): void => {
        clearTimeout(timer);
        stop();
        report();
      };
      const stop = this.on(event, (parameters) => {
        if (fits(parameters)) settle(() => resolve(parameters));
      });
      const timer = setTimeout(
        () => settle(() => reject(new HookFailure(`the browser did not report ${event} within ${timeoutMs / 1000} s`))),
        timeoutMs,
      );
      void this.connection.closed.then(() => settle(() => reject(new HookFailure('the browser went away'))));
    });
  }
}
