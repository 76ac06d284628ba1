import { domainToASCII } from 'node:url'

const MAX_LENGTH = 253
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** A DNS name as in certificates: lower case, ASCII, `*` allowed as the first label. Undefined for any other text. */
export function toHostName(text: string): string | undefined {
  // The URL parser must not parse ASCII: it interprets "1.2.3" and "0x7f.1" as addresses.
  const name = isAscii(text) ? text.toLowerCase() : domainToASCII(text)
  const labels = name.split('.')
  const named = labels.length > 1 && labels[0] === '*' ? labels.slice(1) : labels
  const isName =
    name.length <= MAX_LENGTH &&
    named.every((label) => LABEL.test(label)) &&
    // A name that ends in a number is an invalid address, and clients treat it as an address.
    !/^\d+$/.test(named.at(-1) ?? '')
  return isName ? name : undefined
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
