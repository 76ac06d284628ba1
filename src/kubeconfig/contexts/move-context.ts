import { isDeepStrictEqual } from 'node:util'
import { compareEdits } from '../text/compare-edits.ts'
import type { ContextEntry } from './context-entry.ts'
import { isMarked } from './context-extension.ts'
import { toClusterItem } from './entry-items.ts'
import { entriesIn, parseKubeconfig } from '../text/kubeconfig-text.ts'
import { putItem } from '../text/put-fields.ts'
import { splice } from '../text/splice.ts'
import { uneditable } from '../text/top-level.ts'
import { fieldAt, type Json } from '../../shared/json-fields.ts'

/** Where the cluster of a context is, and whom to trust there. */
export interface MovedCluster extends Pick<ContextEntry, 'name' | 'certificateAuthorityData'> {
  /** @default where it was */
  server?: string
}

/**
 * Returns the text with the cluster of a context at another address, or trusting others; all else stays byte for byte. A
 * text without such a context of vplane stays as it is.
 *
 * @throws {VplaneError} `FAILED` when the text is not a kubeconfig or cannot be edited.
 */
export function moveContext(kubeconfig: string, endpoint: MovedCluster): string {
  const document = parseKubeconfig(kubeconfig)
  const { data } = document
  const isNamed = (entry: Json) => entry['name'] === endpoint.name
  const context = entriesIn(data, 'contexts').find((entry) => isNamed(entry))
  const index = entriesIn(data, 'clusters').findIndex((entry) => isNamed(entry))
  if (index === -1 || !isMarked(context?.['context'])) {
    return kubeconfig
  }
  const old = entriesIn(data, 'clusters')[index]
  const server = endpoint.server ?? String(fieldAt(old?.['cluster'], 'server'))
  const cluster = toClusterItem({ ...endpoint, server })
  if (isDeepStrictEqual(old, cluster)) {
    return kubeconfig
  }
  const { edits } = putItem(document, 'clusters', { value: cluster, index })
  const said = compareEdits(document, edits)
  const clusters = entriesIn(said?.before ?? {}, 'clusters').map((entry) =>
    isNamed(entry) ? cluster : entry,
  )
  if (said === undefined || !isDeepStrictEqual(said.after, { ...said.before, clusters })) {
    throw uneditable('it is written in a way that an edit would change other entries')
  }
  return splice(document.text, edits)
}
