import { isIP } from 'node:net'

/** The 4 or 16 bytes of an IP address; undefined for other text, and for a zone, which is valid on one machine only. */
export function ipAddressBytes(text: string): Buffer | undefined {
  switch (isIP(text)) {
    case 4:
      return Buffer.from(text.split('.').map(Number))
    case 6:
      return text.includes('%') ? undefined : ipv6Bytes(text)
    default:
      return undefined
  }
}

/** The text of an address from its 4 or 16 bytes. */
export function formatIpAddress(bytes: Buffer): string {
  if (bytes.length === 4) {
    return bytes.join('.')
  }
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
  // The URL parser writes IPv6 addresses in their one canonical form (RFC 5952).
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

function ipv6Bytes(text: string): Buffer {
  const [head = '', tail = ''] = text.split('::')
  const front = groupBytes(head)
  const back = groupBytes(tail)
  const gap = Array.from({ length: 16 - front.length - back.length }, () => 0)
  return Buffer.from([...front, ...gap, ...back])
}

function groupBytes(groups: string): number[] {
  return groups === '' ? [] : groups.split(':').flatMap(bytesOfGroup)
}

function bytesOfGroup(group: string): number[] {
  if (group.includes('.')) {
    return group.split('.').map(Number)
  }
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 0xff]
}
