import type { Finding } from '../../../../control-plane/status/finding.ts'
import { clusterKubectl, type CommandPlace, kubectl } from '../../context/kubectl-hint.ts'
import { qualifiedName } from '../../host/host-resource.ts'
import type { Right } from './needed-rights.ts'

interface Rights {
  needed: readonly Right[]
  missing: readonly Right[]
}

/** What the user may not do in the host namespace, with the role that would allow all that is needed. */
export function rightsFinding({ missing, needed }: Rights, place: CommandPlace): Finding {
  const subject = 'rights'
  if (missing.length === 0) {
    return { subject, level: 'ok', message: 'all that is needed' }
  }
  const vital = missing.filter(({ isVital }) => isVital)
  const where = `in namespace "${place.namespace}"`
  const hint = `have somebody grant it: ${grantCommand(needed, place)}`
  return vital.length > 0
    ? { subject, level: 'problem', message: `you may not ${inWords(vital)} ${where}`, hint }
    : { subject, level: 'warning', message: `you may not ${inWords(missing)} ${where}`, hint }
}

/** Whether the user may make the host namespace that is missing. */
export function namespaceRightFinding(isAllowed: boolean, place: CommandPlace): Finding {
  const { namespace } = place
  return isAllowed
    ? { subject: 'namespace', level: 'ok', message: `"${namespace}" will be made` }
    : {
        subject: 'namespace',
        level: 'problem',
        message: `there is no namespace "${namespace}", and you may not make one`,
        hint: `have somebody make it: ${clusterKubectl(place)} create namespace ${namespace}, or say another one: --namespace NAMESPACE`,
      }
}

/** What the user may not do in all of the host cluster, of what a plane takes that reads there. */
export function clusterRightsFinding(missing: readonly Right[]): Finding {
  const vital = missing.filter(({ isVital }) => isVital)
  return {
    subject: 'rights',
    level: vital.length > 0 ? 'problem' : 'warning',
    message: `you may not ${inWords(vital.length > 0 ? vital : missing)} in all of the host cluster, as a plane with its nodes or classes takes`,
    hint: 'leave --sync-nodes and --sync-classes out, or have somebody make the plane who may',
  }
}

/** `create, patch statefulsets.apps; get pods/log`: resources with the same verbs together. */
function inWords(rights: readonly Right[]): string {
  const verbs = Map.groupBy(rights, (right) => qualifiedName(right))
  const resources = Map.groupBy(verbs.keys(), (resource) =>
    (verbs.get(resource) ?? []).map(({ verb }) => verb).join(', '),
  )
  return [...resources].map(([words, names]) => `${words} ${names.join(', ')}`).join('; ')
}

function grantCommand(rights: readonly Right[], place: CommandPlace): string {
  const verbs = [...new Set(rights.map(({ verb }) => verb))].join(',')
  const resources = [...new Set(rights.map((right) => qualifiedName(right)))].join(',')
  const role = kubectl(place, `create role vplane --verb=${verbs} --resource=${resources}`)
  return `${role} && ${kubectl(place, 'create rolebinding vplane --role=vplane --user=USER')}`
}
