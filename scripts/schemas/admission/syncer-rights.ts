import { isDeepStrictEqual } from 'node:util'
import { OPTIONAL_KINDS } from '../../../src/control-plane/spec/fields/host-spec.ts'
import { objectName } from '../../../src/manifests/object-names.ts'
import {
  clusterRules,
  extraRules,
  hostRules,
  metricsRules,
  type PolicyRule,
} from '../../../src/manifests/values/syncer-rules.ts'
import { at, begins, type OfSpec, quoted, type Right, runsPods } from './cel.ts'
import { demanded, inPairs, inWords } from './demanded.ts'
import { checksIn, MAX_CHECKS, type PolicyOptions, type Validation } from './policy.ts'

/** Rights that a syncer gets because of a field of the spec. */
interface Grant {
  field: string
  /** Whether a spec has it. */
  has: OfSpec
  rules: readonly PolicyRule[]
  /** @default only in the namespace of the plane */
  isClusterWide?: boolean
  /** What to do without the rights. */
  hint: string
}

/** Stands for the name of a plane. */
const PLANE = 'PLANE'

const LEAVE_OUT = 'leave it out'
const SET_TO_FALSE = 'set it to false'

/** The default of a plane that an operator creates depends on the rights of the operator, not on those of its user. */
const extraRights = both(runsPods, at('sync.extraRights', 'true'))
const metrics = both(runsPods, at('sync.metrics', 'true'))

/**
 * Demands the rights of a syncer of those who let planes run pods. API servers check about 28 rights for a policy, and a
 * syncer has more: each policy has a part of them. The verbs of a resource are together, because it is up to the API
 * server which of several policies answers.
 */
export function syncerPolicies(): PolicyOptions[] {
  const parts: Validation[][] = []
  for (const demands of grants().flatMap((grant) => demandsOf(grant))) {
    const part = parts.at(-1)
    if (part === undefined || checksOf([...part, ...demands]) > MAX_CHECKS) {
      parts.push(demands)
    } else {
      part.push(...demands)
    }
  }
  return parts.map((validations, index) => ({
    name: `controlplanes-sync-${index + 1}.vplane.dev`,
    validations,
  }))
}

function checksOf(validations: readonly Validation[]): number {
  return validations.reduce((sum, { expression }) => sum + checksIn(expression), 0)
}

/** Those for each resource of a grant. */
function demandsOf({ field, has, hint, isClusterWide = false, rules }: Grant): Validation[][] {
  return rules.flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.map((resource) => {
        const name = rule.resourceNames?.map(nameOfPlane).at(0)
        const rights: Right[] = rule.verbs.map((verb) => ({
          verb,
          group,
          resource,
          isClusterWide,
          ...(name === undefined ? {} : { name }),
        }))
        const all = `${hint} (with it, a plane may ${inWords(rights)})`
        return inPairs(rights).map((pair) =>
          demanded({ what: `"${field}"`, when: begins(has), rights: pair, hint: all }),
        )
      }),
    ),
  )
}

function grants(): Grant[] {
  const onlyPods = { kinds: kindsWith() }
  return [
    {
      field: 'sync',
      has: runsPods,
      rules: [
        ...hostRules(onlyPods, objectName(PLANE, 'syncer')),
        { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['create'] },
      ],
      hint: LEAVE_OUT,
    },
    ...OPTIONAL_KINDS.flatMap((kind) => kindGrants(kind)),
    {
      field: 'sync.extraRights',
      has: extraRights,
      rules: extraRules(onlyPods),
      hint: SET_TO_FALSE,
    },
    { field: 'sync.metrics', has: metrics, rules: metricsRules(), hint: SET_TO_FALSE },
    ...clusterGrants(),
  ]
}

/** The rights of a syncer for objects of a kind, in addition to those that it has without this kind. */
function kindGrants(kind: (typeof OPTIONAL_KINDS)[number]): Grant[] {
  const field = `sync.kinds.${kind}`
  const [without, having] = [{ kinds: kindsWith() }, { kinds: kindsWith(kind) }]
  const isSynced = both(runsPods, at(field, 'true'))
  const extra = addedRules(extraRules(without), extraRules(having))
  return [
    {
      field,
      has: isSynced,
      rules: addedRules(hostRules(without, ''), hostRules(having, '')),
      hint: SET_TO_FALSE,
    },
    {
      field: 'sync.extraRights',
      has: both(extraRights, at(field, 'true')),
      rules: extra,
      hint: SET_TO_FALSE,
    },
  ]
}

function clusterGrants(): Grant[] {
  const nodes = both(runsPods, at('sync.nodes', 'false'))
  const withNodes = { nodes: true, metrics: false }
  const isClusterWide = true
  return [
    {
      field: 'sync.nodes',
      has: nodes,
      rules: clusterRules(withNodes),
      isClusterWide,
      hint: LEAVE_OUT,
    },
    {
      field: 'sync.metrics',
      has: both(nodes, metrics),
      rules: addedRules(clusterRules(withNodes), clusterRules({ nodes: true })),
      isClusterWide,
      hint: SET_TO_FALSE,
    },
    {
      field: 'sync.scheduler',
      has: (spec) => `(${runsPods(spec)} && ${at('sync.scheduler', "'host'")(spec)} == 'virtual')`,
      rules: clusterRules({ scheduler: 'virtual' }),
      isClusterWide,
      hint: LEAVE_OUT,
    },
    {
      field: 'sync.classes',
      has: both(runsPods, at('sync.classes', 'false')),
      rules: clusterRules({ classes: true }),
      isClusterWide,
      hint: LEAVE_OUT,
    },
  ]
}

function both(one: OfSpec, other: OfSpec): OfSpec {
  return (spec) => `(${one(spec)} && ${other(spec)})`
}

/** Which kinds are synced: those given. */
function kindsWith(...kinds: ReadonlyArray<(typeof OPTIONAL_KINDS)[number]>) {
  return Object.fromEntries(OPTIONAL_KINDS.map((kind) => [kind, kinds.includes(kind)]))
}

function addedRules(before: readonly PolicyRule[], after: readonly PolicyRule[]): PolicyRule[] {
  return after.filter((rule) => !before.some((known) => isDeepStrictEqual(known, rule)))
}

/** `'vplane-' + object.metadata.name + '-syncer'` */
function nameOfPlane(name: string): string {
  return name.split(PLANE).map(quoted).join(' + object.metadata.name + ')
}
