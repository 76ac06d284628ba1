import { fieldAt, recordsAt, textAt, textsAt } from '../../../shared/json-fields.ts'
import type { HostApi } from '../host/host-api.ts'

/** API groups that show objects of others in another form. */
const VIEWS = ['metrics.k8s.io', 'events.k8s.io', 'custom.metrics.k8s.io']

/** All objects of one kind in a cluster. */
export interface Collection {
  /** Example: `/apis/apps/v1`. */
  root: string
  resource: string
  isNamespaced: boolean
  /** Example: `list`. */
  verbs: readonly string[]
}

export interface CollectionsOptions {
  /** Sends the request for the resources of one group version; undefined leaves them out. @default an error is thrown */
  ask?: <T>(asking: Promise<T>) => Promise<T | undefined>
  signal?: AbortSignal
}

/** The collections of a cluster that can be listed, each kind once. */
export async function collectionsOf(
  api: Pick<HostApi, 'get'>,
  { ask = (asking) => asking, signal }: CollectionsOptions = {},
): Promise<Collection[]> {
  const options = signal === undefined ? {} : { signal }
  const roots = recordsAt(await api.get('/apis', options), 'groups').flatMap((group) => {
    const isView = VIEWS.includes(String(group['name']))
    return isView ? [] : [`/apis/${String(fieldAt(group, 'preferredVersion', 'groupVersion'))}`]
  })
  const found = ['/api/v1', ...roots].map(async (root) =>
    recordsAt(await ask(api.get(root, options)), 'resources').map((one) => ({
      root,
      resource: textAt(one, 'name') ?? '',
      isNamespaced: one['namespaced'] === true,
      verbs: textsAt(one, 'verbs'),
    })),
  )
  return (await Promise.all(found)).flat().filter(({ verbs }) => verbs.includes('list'))
}
