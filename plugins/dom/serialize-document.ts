import type { CdpSession } from '../kit/cdp.ts';
import { openWorld } from '../kit/evaluate.ts';
import { callWithNodes, findShadowRoots } from '../kit/shadow-roots.ts';

/** The top document as HTML; shadow roots become `<template shadowrootmode>`, which browsers turn back into roots. */
export async function serializeDocument(session: CdpSession): Promise<string> {
  const { frameId, contextId } = await openWorld(session);
  const roots = (await findShadowRoots(session)).get(frameId) ?? [];
  return callWithNodes<string>(session, contextId, serialize.toString(), roots);
}

/** Runs in the page. */
function serialize(...shadowRoots: ShadowRoot[]): string {
  const { doctype, documentElement: root } = document;
  const start = root.cloneNode(false) as Element;
  const tags = start.outerHTML;
  const closing = tags.lastIndexOf('</');
  const inner = root.getHTML({ serializableShadowRoots: true, shadowRoots });
  const html = closing < 0 ? tags + inner : tags.slice(0, closing) + inner + tags.slice(closing);
  return `${doctype ? `${new XMLSerializer().serializeToString(doctype)}\n` : ''}${html}\n`;
}
