import { isDeepStrictEqual } from 'node:util'
import { compareEdits } from '../text/compare-edits.ts'
import type { ContextEntry } from './context-entry.ts'
import { isMarked } from './context-extension.ts'
import { toClusterItem } from './entry-items.ts'
import { entriesIn, parseKubeconfig } from '../text/kubeconfig-text.ts'
import { putItem } from '../text/put-fields.ts'
import { splice } from '../text/splice.ts'
import { uneditable } from '../text/top-level.ts'
import { fieldAt, type Json, textAt } from '../../shared/json-fields.ts'
import { shareCertificate } from '../../shared/text/share-certificate.ts'

/** The new address of a context's cluster, and the CAs that clients trust there. */
export interface MovedCluster extends Pick<ContextEntry, 'name' | 'certificateAuthorityData'> {
  /** @default the address that it has */
  server?: string
}

/**
 * Returns the text with another address or other CAs for the cluster of a context; all else, and a text without such a
 * context of vplane, stays byte for byte. So does a context that leads to another plane of the same name: its CAs are
 * others.
 * @throws {VplaneError} `INVALID_SPEC` when the text is not a kubeconfig, `FAILED` when it cannot be edited.
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
  const authority = Buffer.from(
    textAt(old, 'cluster', 'certificate-authority-data') ?? '',
    'base64',
  )
  if (!shareCertificate(String(authority), endpoint.certificateAuthorityData)) {
    return kubeconfig
  }
  const server = endpoint.server ?? String(fieldAt(old?.['cluster'], 'server'))
  const cluster = toClusterItem({ ...endpoint, server })
  if (isDeepStrictEqual(old, cluster)) {
    return kubeconfig
  }
  const { edits } = putItem(document, 'clusters', { value: cluster, index })
  const { after, before } = compareEdits(document, edits)
  const clusters = entriesIn(before, 'clusters').map((entry) => (isNamed(entry) ? cluster : entry))
  if (!isDeepStrictEqual(after, { ...before, clusters })) {
    throw uneditable('it is written in a way that an edit would change other entries')
  }
  return splice(document.text, edits)
}
