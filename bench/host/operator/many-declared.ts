import type { KubeClient } from '../../../src/kube/client/client.ts'
import { ObjectCache } from '../../../src/kube/cache/object-cache.ts'
import { fieldAt, textAt } from '../../../src/shared/json-fields.ts'
import { conditionOf, type KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { collectionPath, objectPath } from '../../../src/shared/kube/collections.ts'
import { waitFor } from '../../../src/shared/wait.ts'

const SETTLED_MS = 1_800_000
const CHANGED_MS = 600_000

/** ControlPlanes of which some run and the others are paused, and what is seen of their statuses. */
export interface ManyDeclared {
  names: readonly string[]
  /** Waits until each is as its ControlPlane says. */
  settle: () => Promise<void>
  /** Changes a field of specs that restarts nothing; when each was observed, in milliseconds after the first request. */
  change: (names: readonly string[], value: string) => Promise<number[]>
  /** Waits until this number of the planes have a value that `change` wrote. */
  untilChanged: (value: string, count: number) => Promise<string[]>
}

/** Declares planes, and watches them until the signal fires. */
export async function declareMany(
  client: KubeClient,
  {
    namespace,
    paused,
    running,
    spec = { ephemeral: true, apiGroups: 'lean' },
  }: { namespace: string; running: number; paused: number; spec?: object },
  signal: AbortSignal,
): Promise<ManyDeclared> {
  const names = Array.from({ length: running + paused }, (_, index) => `many-${index}`)
  const path = collectionPath('controlplanes', namespace)
  const cache = new ObjectCache(client, path)
  /** When each value of each plane was seen first. */
  const seen = new Map<string, number>()
  cache.onChange((resource) => {
    const value = isSettled(resource) ? textAt(resource, 'spec', 'labels', 'round') : undefined
    const change = `${resource.metadata.name} ${value}`
    seen.set(change, seen.get(change) ?? performance.now())
  })
  cache.run(signal).catch(() => {})
  await Promise.all(
    names.map((name, index) =>
      client.create(path, {
        apiVersion: 'vplane.dev/v1beta1',
        kind: 'ControlPlane',
        metadata: { name, namespace },
        spec: { ...spec, ...(index < running ? {} : { paused: true }) },
      }),
    ),
  )
  const changedTo = (value: string) => names.filter((name) => seen.has(`${name} ${value}`))
  return {
    names,
    settle: async () => {
      const all = async () => cache.size === names.length && [...cache.values()].every(isSettled)
      const what = 'all ControlPlanes'
      await waitFor(all, { what, timeoutMs: SETTLED_MS, intervalMs: 500, signal })
    },
    change: async (changed, value) => {
      const startedAt = performance.now()
      const body = { spec: { labels: { round: value } } }
      await Promise.all(
        changed.map((name) =>
          client.patch(objectPath('controlplanes', { name, namespace }), body, { type: 'merge' }),
        ),
      )
      const all = async () => changed.every((name) => seen.has(`${name} ${value}`))
      const what = 'the changes'
      await waitFor(all, { what, timeoutMs: CHANGED_MS, intervalMs: 20, signal })
      return changed.map((name) => (seen.get(`${name} ${value}`) ?? Number.NaN) - startedAt)
    },
    untilChanged: async (value, count) => {
      const enough = async () => changedTo(value).length >= count && changedTo(value)
      const what = 'some of the changes'
      return waitFor(enough, { what, timeoutMs: CHANGED_MS, intervalMs: 20, signal })
    },
  }
}

/** Whether the plane is as the ControlPlane says, and the status shows it. */
function isSettled(resource: KubeObject): boolean {
  const isCurrent =
    fieldAt(resource, 'status', 'observedGeneration') === fieldAt(resource.metadata, 'generation')
  const isPaused = fieldAt(resource, 'spec', 'paused') === true
  const mayPauseItself = fieldAt(resource, 'spec', 'idle') !== undefined
  const wanted = [...(isPaused ? [] : ['Ready']), ...(isPaused || mayPauseItself ? ['Paused'] : [])]
  const ready = conditionOf(resource, 'Ready')
  const isAtWork = conditionOf(resource, 'Progressing')?.['status'] === 'True'
  return isCurrent && !isAtWork && wanted.includes(String(ready?.['reason']))
}
