import type { Operators } from '../../control-plane/declared/operators.ts'
import {
  declarePlane,
  freeDeclaration,
  listDeclarations,
  withdrawDeclaration,
} from '../../drivers/kubernetes/operator/declarations.ts'
import {
  amendDeclaration,
  observeDeclaration,
} from '../../drivers/kubernetes/operator/amend-declaration.ts'
import { installOperator } from '../../drivers/kubernetes/operator/install-operator.ts'
import { isWatched, readOperator } from '../../drivers/kubernetes/operator/read-operator.ts'
import { removeOperator, stopOperator } from '../../drivers/kubernetes/operator/remove-operator.ts'
import type { KubeClient } from '../../kube/client/client.ts'

/** The operators and ControlPlanes of a host cluster. */
export function hostOperators(api: KubeClient): Operators {
  return {
    read: (namespace, signal) => readOperator(api, namespace, signal),
    install: (settings, operation) => installOperator(api, settings, operation),
    stop: (operator, operation) => stopOperator(api, operator, operation),
    remove: (operator, operation) => removeOperator(api, operator, operation),
    isWatched: (namespace, signal) => isWatched(api, namespace, signal),
    declarations: (namespace, signal) => listDeclarations(api, namespace, signal),
    declare: (place, spec, signal) => declarePlane(api, { place, spec }, signal),
    amend: (place, fields, signal) => amendDeclaration(api, { place, fields }, signal),
    observe: (place, signal) => observeDeclaration(api, place, signal),
    withdraw: (declaration, signal) => withdrawDeclaration(api, declaration, signal),
    free: (declaration, signal) => freeDeclaration(api, declaration, signal),
  }
}
