import type { AddressOutlook } from '../../driver/plane-pods.ts'

/** Lists the Services that get another address; empty when all of them certainly keep theirs. */
export function addressLines({ doubt, lost }: AddressOutlook): string[] {
  return [
    ...(lost.length === 0
      ? []
      : [
          'Services that get another address:',
          ...lost.map(({ address, name, why }) => `  ${name}: ${address} ${why}`),
        ]),
    ...(doubt === undefined ? [] : [`Whether the others keep theirs is unknown: ${doubt}.`]),
  ]
}
