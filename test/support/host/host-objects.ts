import { fieldAt } from '../../../src/shared/json-fields.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import type { Lab } from '../../lab/lab.ts'

/** The host's own diary of what happened, and what it only computes. */
const NOT_KEPT = ['events', 'events.events.k8s.io', 'componentstatuses']

/**
 * Everything that a host cluster holds of one namespace, of every kind there is: `Secret name` with its uid, for what is
 * in the namespace and for what is beside it and speaks of it, such as the namespace itself and its volumes.
 *
 * The provisioner of a volume removes it some time after its claim is gone: this waits for it.
 */
export async function hostObjects(
  lab: Pick<Lab, 'kubectl'>,
  namespace: string,
): Promise<Map<string, string>> {
  const objects = await waitFor(
    async () => {
      const seen = await objectsOf(lab, namespace)
      return !seen.some((object) => isUnclaimed(object, namespace, seen)) && seen
    },
    { what: 'the end of volumes that nobody claims', timeoutMs: 60_000, intervalMs: 500 },
  )
  return new Map(
    objects
      .map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.uid ?? ''] as const)
      .toSorted(([left], [right]) => left.localeCompare(right)),
  )
}

async function objectsOf(
  { kubectl }: Pick<Lab, 'kubectl'>,
  namespace: string,
): Promise<KubeObject[]> {
  const list = async (isNamespaced: boolean, ...flags: string[]) => {
    const verbs = ['--verbs=list', `--namespaced=${isNamespaced}`, '--output=name']
    const kinds = (await kubectl(['api-resources', ...verbs]))
      .split('\n')
      .filter((kind) => !NOT_KEPT.includes(kind))
    const json = await kubectl(['get', kinds.join(','), ...flags, '--output=json'])
    const { items }: { items: KubeObject[] } = JSON.parse(json)
    return items
  }
  const [inside, beside] = await Promise.all([list(true, '--namespace', namespace), list(false)])
  return [...inside, ...beside.filter((object) => JSON.stringify(object).includes(namespace))]
}

/** Whether the claim of a volume is gone, whatever the host knows of that. */
function isUnclaimed(
  volume: KubeObject,
  namespace: string,
  objects: readonly KubeObject[],
): boolean {
  const claim = (field: string) => fieldAt(volume, 'spec', 'claimRef', field)
  return (
    volume.kind === 'PersistentVolume' &&
    claim('namespace') === namespace &&
    !objects.some(
      ({ kind, metadata }) => kind === 'PersistentVolumeClaim' && metadata.name === claim('name'),
    )
  )
}
