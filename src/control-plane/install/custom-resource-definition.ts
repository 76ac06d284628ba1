import { fieldAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { type KubeObject, conditionOf } from '../../shared/kube/kube-object.ts'

/** One served version of a custom resource definition. */
export interface ServedResource {
  /** `cert-manager.io/v1`. */
  groupVersion: string
  /** `certificates`. */
  plural: string
}

/**
 * Whether an object is a complete custom resource definition: a kustomize patch has the kind and a name, but neither group
 * nor versions.
 */
export function isCustomResourceDefinition(object: KubeObject): boolean {
  return (
    object.kind === 'CustomResourceDefinition' &&
    (fieldAt(object, 'spec', 'group') !== undefined ||
      fieldAt(object, 'spec', 'versions') !== undefined)
  )
}

/** The served versions of a custom resource definition. */
export function servedResourcesOf(definition: KubeObject): ServedResource[] {
  const group = textAt(definition, 'spec', 'group') ?? ''
  const plural = textAt(definition, 'spec', 'names', 'plural') ?? ''
  return recordsAt(definition, 'spec', 'versions')
    .filter((version) => version['served'] === true)
    .map((version) => ({ groupVersion: `${group}/${textAt(version, 'name') ?? ''}`, plural }))
}

/** Whether the API server has accepted the definition's names and serves it. */
export function isEstablished(definition: KubeObject): boolean {
  return (
    conditionOf(definition, 'NamesAccepted')?.['status'] === 'True' &&
    conditionOf(definition, 'Established')?.['status'] === 'True'
  )
}

/** Why the API server refuses the definition's names, or undefined if it does not. */
export function refusalOf(definition: KubeObject): string | undefined {
  const condition = conditionOf(definition, 'NamesAccepted')
  return condition?.['status'] === 'False'
    ? (textAt(condition, 'message') ?? textAt(condition, 'reason') ?? '')
    : undefined
}
