import type { Policies } from '../../control-plane/spec/fields/policies-spec.ts'
import { type Json, recordAt, recordsAt, textAt, textsAt } from '../../shared/json-fields.ts'

const LISTS = ['initContainers', 'containers'] as const
const CONFINED = ['RuntimeDefault', 'Localhost']

/**
 * Why a pod is not as Pod Security `restricted` demands beyond `baseline`, as of Kubernetes 1.36, if the plane's owner demands it:
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted. Pods of Windows nodes are not exempt.
 */
export function restrictedRefusals(policies: Policies | undefined, spec: Json): string[] {
  if (policies?.podSecurity !== 'restricted') {
    return []
  }
  const pod = recordAt(spec, 'securityContext') ?? {}
  return LISTS.flatMap((list) =>
    recordsAt(spec, list).flatMap((container) =>
      containerRefusals(container, pod, `spec.${list}[${String(container['name'])}]`),
    ),
  )
}

/** The same of one container, such as an ephemeral one. */
export function restrictedContainerRefusals(
  policies: Policies | undefined,
  { at, container, spec }: { container: Json; spec: Json; at: string },
): string[] {
  return policies?.podSecurity === 'restricted'
    ? containerRefusals(container, recordAt(spec, 'securityContext') ?? {}, at)
    : []
}

function containerRefusals(container: Json, pod: Json, at: string): string[] {
  const own = recordAt(container, 'securityContext') ?? {}
  const inherited = (field: string) => own[field] ?? pod[field]
  const profile = textAt(own, 'seccompProfile', 'type') ?? textAt(pod, 'seccompProfile', 'type')
  const added = textsAt(own, 'capabilities', 'add').filter((one) => one !== 'NET_BIND_SERVICE')
  const demands: Array<[isMet: boolean, what: string]> = [
    [own['allowPrivilegeEscalation'] === false, 'allowPrivilegeEscalation must be false'],
    [inherited('runAsNonRoot') === true, 'runAsNonRoot must be true'],
    [own['runAsUser'] !== 0 && pod['runAsUser'] !== 0, 'runAsUser must not be 0'],
    [CONFINED.includes(profile ?? ''), 'seccompProfile.type must be RuntimeDefault or Localhost'],
    [textsAt(own, 'capabilities', 'drop').includes('ALL'), 'capabilities.drop must include ALL'],
    [added.length === 0, 'capabilities.add may have NET_BIND_SERVICE alone'],
  ]
  return demands
    .filter(([isMet]) => !isMet)
    .map(
      ([, what]) => `${at}.securityContext: ${what}, as "policies.podSecurity: restricted" demands`,
    )
}
