/** The parts of single-file-core we call; the package brings no types. */
declare module 'single-file-core/single-file-bootstrap.js' {
  export const helper: unknown;
  export const processors: unknown;
}

declare module 'single-file-core/single-file.js' {
  export interface SingleFileResponse {
    status: number;
    url?: string;
    headers: { get(name: string): string | null };
    arrayBuffer(): Promise<ArrayBuffer>;
  }
  export type SingleFileFetch = (
    url: string,
    options: { referrer?: string; headers?: Record<string, string> },
  ) => Promise<SingleFileResponse>;
  export interface FrameAnswer {
    windowId: string;
    url?: string;
    baseURI?: string;
    content?: string;
  }
  export interface SingleFileOptions {
    [option: string]: unknown;
    /** What each frame answered; taken out again as the frames are worked into the page. */
    frames?: FrameAnswer[];
  }
  export const helper: { WIN_ID_ATTRIBUTE_NAME: string };
  export function getPageData(
    options: SingleFileOptions,
    init: { fetch: SingleFileFetch; frameFetch: SingleFileFetch },
  ): Promise<{ content: string; title: string }>;
}
