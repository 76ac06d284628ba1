import { fieldAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { type KubeObject, conditionOf } from '../../shared/kube/kube-object.ts'

export interface ServedResource {
  groupVersion: string
  plural: string
}

/** Whether it is complete: a kustomize patch has kind and name, but no group or versions. */
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
