import { CST } from 'yaml'

/** A collection in the text itself, not behind an alias. */
export type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection

/** A field of a mapping: `key: value`. */
export interface Field {
  item: CST.CollectionItem
  /** Offset behind the colon. */
  valueStart: number
  /** Offset behind the value, before a comment or line break that follows it. */
  valueEnd: number
  value: CST.Token | undefined
}

/** The field of a mapping with this key; undefined when it is missing or written in a way that cannot be edited. */
export function fieldOf(map: CST.Token | undefined, key: string): Field | undefined {
  return fieldsOf(map).find(({ item }) => keyOf(item) === key)
}

function fieldsOf(map: CST.Token | undefined): Field[] {
  if (!isCollection(map) || map.type === 'block-seq') {
    return []
  }
  return entriesOf(map).flatMap((item) => {
    const colon = item.sep?.find(({ type }) => type === 'map-value-ind')
    const isPlain = item.start.every(({ type }) => type !== 'explicit-key-ind')
    if (!isPlain || colon === undefined || item.key === undefined || item.key === null) {
      return []
    }
    const valueStart = colon.offset + 1
    return [{ item, valueStart, valueEnd: endOfEntry(item), value: item.value }]
  })
}

/** The entries of a mapping or sequence, without those that consist of comments and commas. */
export function entriesOf(collection: Collection): CST.CollectionItem[] {
  const items: CST.CollectionItem[] = collection.items
  return items.filter(
    ({ start, key, sep, value }) =>
      (key !== undefined && key !== null) ||
      sep !== undefined ||
      value !== undefined ||
      start.some(({ type }) => type === 'seq-item-ind' || type === 'anchor' || type === 'tag'),
  )
}

/** Whether a token is a mapping or sequence. */
export function isCollection(token: CST.Token | undefined): token is Collection {
  return CST.isCollection(token)
}

/** Offset of an entry's first character: its dash in a block sequence, its key or value elsewhere. */
export function startOfEntry({ start, key, value }: CST.CollectionItem): number {
  const first =
    start.find(({ type }) => type !== 'comma' && !isFiller(type)) ?? key ?? value ?? start.at(-1)
  return first?.offset ?? 0
}

/** Offset behind an entry, before a comment or line break that follows it. */
export function endOfEntry({ start, key, sep, value }: CST.CollectionItem): number {
  if (value !== undefined) {
    return endOf(value)
  }
  const last = [...start, ...(key === undefined || key === null ? [] : [key]), ...(sep ?? [])]
    .filter(({ type }) => !isFiller(type))
    .at(-1)
  return last === undefined ? 0 : endOf(last)
}

function endOf(token: CST.Token): number {
  if (token.type === 'block-map' || token.type === 'block-seq') {
    const last = entriesOf(token).at(-1)
    return last === undefined ? token.offset : endOfEntry(last)
  }
  if (token.type === 'flow-collection') {
    const bracket = token.end.find(({ type }) => !isFiller(type))
    return bracket === undefined ? token.offset + 1 : endOf(bracket)
  }
  if (token.type === 'block-scalar') {
    const header = token.props.at(-1)
    if (header?.type === 'newline' && token.source === '') {
      return header.offset
    }
    const start = header === undefined ? token.offset : endOf(header)
    return start + token.source.replace(/\r?\n$/, '').length
  }
  return token.offset + ('source' in token ? token.source.length : 0)
}

function keyOf(item: CST.CollectionItem): string | undefined {
  const key = CST.isScalar(item.key) ? CST.resolveAsScalar(item.key) : null
  return key?.value
}

function isFiller(type: CST.Token['type']): boolean {
  return type === 'space' || type === 'newline' || type === 'comment'
}
