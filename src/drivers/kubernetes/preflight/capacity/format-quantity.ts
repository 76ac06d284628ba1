const BINARY: ReadonlyArray<readonly [string, number]> = [
  ['Ti', 2 ** 40],
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
]

/** An amount of a resource as a quantity that people read easily: `250m` of cpu, `768Mi` of memory, `3` pods. */
export function formatQuantity(resource: string, value: number): string {
  if (/memory|storage|hugepages/.test(resource)) {
    const [suffix, factor] = BINARY.find(([, size]) => value >= size && value % size === 0) ?? [
      '',
      1,
    ]
    return `${Math.ceil(value / factor)}${suffix}`
  }
  const thousandths = Math.round(value * 1000)
  return thousandths % 1000 === 0 ? `${thousandths / 1000}` : `${thousandths}m`
}
