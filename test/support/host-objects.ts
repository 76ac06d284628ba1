import type { KubeObject } from '../../src/kube/kube-object.ts'
import type { Lab } from '../lab/lab.ts'

/** The host's own diary of what happened, and what it only computes. */
const NOT_KEPT = ['events', 'events.events.k8s.io', 'componentstatuses']

/**
 * Everything that a host cluster holds of one namespace, of every kind there is: `Secret name` with its uid, for what is
 * in the namespace and for what is beside it and speaks of it, such as the namespace itself and its volumes.
 */
export async function hostObjects(
  { kubectl }: Pick<Lab, 'kubectl'>,
  namespace: string,
): Promise<Map<string, string>> {
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
  const related = beside.filter((object) => JSON.stringify(object).includes(namespace))
  return new Map(
    [...inside, ...related]
      .map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.uid ?? ''] as const)
      .toSorted(([left], [right]) => left.localeCompare(right)),
  )
}
