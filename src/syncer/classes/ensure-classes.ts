import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import { WorkQueue } from '../../kube/cache/work-queue.ts'
import { isVirtual } from '../translate/markers.ts'
import { provided } from '../translate/reading.ts'
import {
  byClassResource,
  type Classes,
  type ClassResource,
  type ClassSides,
} from './class-kinds.ts'
import { collectionPath } from '../../shared/kube/collections.ts'

export interface EnsureClassesOptions {
  plane: Pick<KubeClient, 'create' | 'replace' | 'delete'>
  classes: Readonly<Record<ClassResource, ClassSides>>
  /** The classes that the plane must have now for those of its host. */
  wanted: () => Classes
  onError: (what: string, error: unknown) => void
}

/** Creates, updates and deletes the syncer's classes in the plane until the signal fires; those of users stay unchanged. */
export async function ensureClasses(
  options: EnsureClassesOptions,
  signal: AbortSignal,
): Promise<void> {
  const running = byClassResource((resource) => ensureKind(resource, options, signal))
  await Promise.all(Object.values(running))
}

function ensureKind(
  resource: ClassResource,
  { classes, onError, plane, wanted }: EnsureClassesOptions,
  signal: AbortSignal,
): Promise<void> {
  const { host, virtual } = classes[resource]
  const queue = new WorkQueue<string>({
    work: (name) => {
      const pair = {
        collection: collectionPath(resource),
        known: virtual.get(toObjectKey({ name })),
        wanted: wanted()[resource].find(({ metadata }) => metadata.name === name),
      }
      return ensureClass(plane, pair, signal)
    },
    onError: (name, error) => onError(`${resource} "${name}"`, error),
    workers: 1,
  })
  const add = ({ metadata }: KubeObject) => queue.add(metadata.name ?? '')
  virtual.onChange(add)
  host?.onChange(add)
  for (const one of [...wanted()[resource], ...virtual.values()]) {
    add(one)
  }
  return queue.run(signal)
}

interface Pair {
  collection: string
  known: KubeObject | undefined
  wanted: KubeObject | undefined
}

async function ensureClass(
  plane: EnsureClassesOptions['plane'],
  { collection, known, wanted }: Pair,
  signal: AbortSignal,
): Promise<void> {
  const path = `${collection}/${known?.metadata.name}`
  const remove = () => plane.delete(path, { uid: known?.metadata.uid, signal })
  if (known === undefined) {
    await (wanted && plane.create(collection, wanted, { signal }))
  } else if (!isVirtual(known)) {
    // A user's own class has the name.
  } else if (wanted === undefined) {
    await remove()
  } else if (!isDeepStrictEqual(known, changed(known, wanted))) {
    const replacing = plane.replace(path, changed(known, wanted), { signal })
    // 422: a field is immutable. The deletion triggers the creation of a new class, and users of the class do not notice.
    if ((await unlessStatus([422], replacing)) === undefined) {
      await remove()
    }
  }
}

/** The wanted class with the labels and annotations of others. */
function changed(known: KubeObject, wanted: KubeObject): KubeObject {
  const { metadata } = known
  const labels = { ...metadata.labels, ...wanted.metadata.labels }
  const added = wanted.metadata.annotations
  const annotations = added && { ...metadata.annotations, ...added }
  return { ...known, ...wanted, metadata: { ...metadata, ...provided({ labels, annotations }) } }
}
