import type { Plane } from '../plane/plane.ts'
import type { Declaration, Operators } from './operators.ts'

/** The ControlPlane that declares a plane; undefined when it is gone, or another one has its name. */
export async function ownDeclaration(
  operators: Pick<Operators, 'declarations'>,
  { declaredBy, name, namespace }: Pick<Plane, 'declaredBy' | 'name' | 'namespace'>,
  signal: AbortSignal,
): Promise<Declaration | undefined> {
  const declarations = await operators.declarations(namespace, signal)
  return declarations.find((one) => one.name === name && one.uid === declaredBy)
}
