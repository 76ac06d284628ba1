import type { Finding } from '../../../../control-plane/status/finding.ts'
import { type CommandPlace, kubectl } from '../../context/kubectl-hint.ts'
import { qualifiedName } from '../../host/host-resource.ts'
import type { Right } from './needed-rights.ts'

interface Rights {
  needed: readonly Right[]
  missing: readonly Right[]
}

/** Adds a command that grants all needed rights. */
export function rightsFindings({ missing, needed }: Rights, place: CommandPlace): Finding[] {
  return missingFindings(missing, {
    where: `in namespace "${place.namespace}"`,
    hint: `ask an administrator to grant them: ${grantCommand(needed, place)}`,
  })
}

/** Planes with nodes or classes of the host need rights in all of the host cluster. */
export function clusterRightsFindings(missing: readonly Right[]): Finding[] {
  return missingFindings(missing, {
    where: 'in all of the host cluster, which a plane with its nodes or classes requires',
    hint: [{ syncNodes: false, syncClasses: false }, 'or ask an administrator for them'],
  })
}

/** Reports only vital rights if some of them are missing. */
function missingFindings(
  missing: readonly Right[],
  { hint, where }: { where: string; hint: NonNullable<Finding['hint']> },
): Finding[] {
  const vital = missing.filter(({ isVital }) => isVital)
  const level = vital.length > 0 ? 'problem' : 'warning'
  const message = `you may not ${inWords(vital.length > 0 ? vital : missing)} ${where}`
  return missing.length === 0 ? [] : [{ subject: 'rights', level, message, hint }]
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
