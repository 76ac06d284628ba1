import { isDeepStrictEqual } from 'node:util'
import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { toObjectKey } from '../scope/object-key.ts'
import { WorkQueue } from '../engine/work-queue.ts'
import { isVirtual } from '../translate/markers.ts'
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
  /** Those that the plane is to have now for what its host offers. */
  wanted: () => Classes
  onError: (what: string, error: unknown) => void
}

/** Keeps the classes of a plane as they are wanted until the signal fires. Those that its users made stay as they are. */
export async function ensureClasses(
  options: EnsureClassesOptions,
  signal: AbortSignal,
): Promise<void> {
  const kept = byClassResource((resource) => keepKind(resource, options, signal))
  await Promise.all(Object.values(kept))
}

function keepKind(
  resource: ClassResource,
  { classes, onError, plane, wanted }: EnsureClassesOptions,
  signal: AbortSignal,
): Promise<void> {
  const { host, virtual } = classes[resource]
  const queue = new WorkQueue<string>({
    work: (name) => {
      const pair = {
        known: virtual.get(toObjectKey({ name })),
        wanted: wanted()[resource].find(({ metadata }) => metadata.name === name),
      }
      return keepClass(plane, { collection: collectionPath(resource), ...pair }, signal)
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

async function keepClass(
  plane: EnsureClassesOptions['plane'],
  { collection, known, wanted }: Pair,
  signal: AbortSignal,
): Promise<void> {
  const path = `${collection}/${known?.metadata.name}`
  const remove = () => plane.delete(path, { uid: known?.metadata.uid, signal })
  if (known === undefined) {
    await (wanted && plane.create(collection, wanted, { signal }))
  } else if (!isVirtual(known)) {
    // Somebody's own class has the name.
  } else if (wanted === undefined) {
    await remove()
  } else if (!isDeepStrictEqual(known, changed(known, wanted))) {
    const replacing = plane.replace(path, changed(known, wanted), { signal })
    // 422: most of a class never changes. It is made anew, which nothing notices that uses it.
    if ((await unlessStatus([422], replacing)) === undefined) {
      await remove()
    }
  }
}

/** The class as it is wanted, with what others say about it. */
function changed(known: KubeObject, wanted: KubeObject): KubeObject {
  const { metadata } = known
  const { annotations, labels } = wanted.metadata
  return {
    ...known,
    ...wanted,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      ...(annotations === undefined
        ? {}
        : { annotations: { ...metadata.annotations, ...annotations } }),
    },
  }
}
