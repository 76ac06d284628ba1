import type { AddressOutlook } from '../../driver/plane-pods.ts'

/** Which Services get another address, as people read it; nothing when all keep theirs for certain. */
export function addressLines({ doubt, lost }: AddressOutlook): string[] {
  return [
    ...(lost.length === 0
      ? []
      : [
          'Services that get another address there:',
          ...lost.map(({ address, name, why }) => `  ${name}: ${address} ${why}`),
        ]),
    ...(doubt === undefined ? [] : [`Whether all others keep theirs cannot be told: ${doubt}.`]),
  ]
}
