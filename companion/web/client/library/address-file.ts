import { limits } from '../../../../shared/limits.ts';
import { countPhrase, sizePhrase } from '../../../../shared/words/amounts.ts';
import { RequestFailed } from '../api/request.ts';
import { findAddresses } from '../api/snapshots.ts';

/** Room for the request around the text, whose quotes and line ends take two bytes each in JSON. */
const bytesMax = limits.jsonBodyBytesMax / 2;

export interface AddressFile {
  urls: string[];
  /** What became of the file, for the reader. */
  sentence: string;
  refused: string[];
}

/** Lets the companion find the addresses in a file; never throws for what a file can hold. */
export async function readAddressFile(file: File): Promise<AddressFile> {
  const nothing = (sentence: string): AddressFile => ({ urls: [], sentence, refused: [] });
  if (file.size === 0) return nothing(`${file.name} is empty.`);
  if (file.size > bytesMax) {
    return nothing(
      `${file.name} has ${sizePhrase(file.size)}; the library reads files up to ${sizePhrase(bytesMax)}. Divide it, or give its addresses to "holdfast add".`,
    );
  }
  try {
    const { urls, refused } = await findAddresses(await file.text());
    return { urls, refused, sentence: foundSentence(file.name, urls.length, refused.length) };
  } catch (error) {
    if (error instanceof RequestFailed) return nothing(`${file.name} was not read. ${error.message}`);
    // Browsers say so when the file was changed or moved after it was chosen.
    if (error instanceof DOMException) return nothing(`${file.name} cannot be read any more; choose it again.`);
    throw error;
  }
}

function foundSentence(name: string, found: number, refused: number): string {
  const others = refused === 0 ? '' : ` ${countPhrase(refused, 'other')} cannot be kept:`;
  if (found === 0 && refused === 0) return `No address was found in ${name}. Addresses begin with http:// or https://.`;
  if (found === 0) return `No address that can be kept was found in ${name}.${others}`;
  return `${countPhrase(found, 'address', 'addresses')} found in ${name}. Take out what you do not want, then keep them.${others}`;
}
