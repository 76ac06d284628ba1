import { BlockList, isIP } from 'node:net'

/** Whether a text is a range of addresses such as `10.20.0.0/16`. */
export function isRange(text: string): boolean {
  const [address = '', length = ''] = text.split('/')
  const family = isIP(address)
  return family !== 0 && /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128)
}

/** The range of one address. */
export function rangeOf(address: string): string {
  return `${address}/${isIP(address) === 6 ? 128 : 32}`
}

/** Whether an address is in one of these ranges, of the same family; what is no address or range has none. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const family = isIP(address)
  const type = family === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  for (const range of ranges.filter(isRange)) {
    const [network = '', length = ''] = range.split('/')
    // A list takes an IPv4 address for an IPv6 address, too.
    if (isIP(network) === family) {
      list.addSubnet(network, Number(length), type)
    }
  }
  return family !== 0 && list.check(address, type)
}

/** Whether all addresses of a range are in another one, which may be the same. */
export function isWithin(range: string, other: string): boolean {
  const [network = '', length = ''] = range.split('/')
  const [, otherLength = ''] = other.split('/')
  return Number(length) >= Number(otherLength) && isInRanges(network, [other])
}
