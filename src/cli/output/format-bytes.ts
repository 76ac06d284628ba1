const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A size for people: `98.4 MiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1)
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
