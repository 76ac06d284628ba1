/** Selects objects of a collection. */
export interface Selection {
  /** Such as `vplane.dev/name=dev`. @default all */
  labelSelector?: string | undefined
  /** Such as `involvedObject.kind=Pod`. @default all */
  fieldSelector?: string | undefined
}

/** The path of a collection with a selection in its query. */
export function withSelection(path: string, { fieldSelector, labelSelector }: Selection): string {
  return withQuery(path, { labelSelector, fieldSelector })
}

/** A path with more parameters in its query. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      added.set(name, value)
    }
  }
  const separator = path.includes('?') ? '&' : '?'
  return added.size === 0 ? path : `${path}${separator}${added.toString()}`
}
