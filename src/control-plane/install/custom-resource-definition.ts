import { fieldAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { type KubeObject, conditionOf } from '../../shared/kube/kube-object.ts'

/** A group version and the plural names that a custom resource definition makes it serve. */
export interface ServedResource {
  /** `cert-manager.io/v1`. */
  groupVersion: string
  /** `certificates`. */
  plural: string
}

/**
 * Tells whole custom resource definitions from everything else, patches of them included: a kustomize patch has the
 * kind and a name, and neither group nor versions.
 */
export function isCustomResourceDefinition(object: KubeObject): boolean {
  return (
    object.kind === 'CustomResourceDefinition' &&
    (fieldAt(object, 'spec', 'group') !== undefined ||
      fieldAt(object, 'spec', 'versions') !== undefined)
  )
}

/** What the API serves because of a custom resource definition. */
export function servedResourcesOf(definition: KubeObject): ServedResource[] {
  const group = textAt(definition, 'spec', 'group') ?? ''
  const plural = textAt(definition, 'spec', 'names', 'plural') ?? ''
  return recordsAt(definition, 'spec', 'versions')
    .filter((version) => version['served'] === true)
    .map((version) => ({ groupVersion: `${group}/${textAt(version, 'name') ?? ''}`, plural }))
}

/** The API server has taken the definition's names and serves it. */
export function isEstablished(definition: KubeObject): boolean {
  return (
    conditionOf(definition, 'NamesAccepted')?.['status'] === 'True' &&
    conditionOf(definition, 'Established')?.['status'] === 'True'
  )
}

/** Why the API server does not take the definition's names; undefined while it has not said no. */
export function refusalOf(definition: KubeObject): string | undefined {
  const condition = conditionOf(definition, 'NamesAccepted')
  return condition?.['status'] === 'False'
    ? (textAt(condition, 'message') ?? textAt(condition, 'reason') ?? '')
    : undefined
}
