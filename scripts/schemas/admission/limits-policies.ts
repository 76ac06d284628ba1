import { HELPER_IMAGE } from '../../../src/control-plane/spec/resolve-host-spec.ts'
import { kineImageOf } from '../../../src/control-plane/store/kine-image.ts'
import { type Preset, PRESETS } from '../../../src/control-plane/spec/presets.ts'
import { added, at, has, hasVolumes, type OfSpec, quoted, runsPods } from './cel.ts'
import { type Feature, LIMITED_FEATURES } from './limited-features.ts'
import { forbidden, type PolicyOptions, type Validation } from './policy.ts'

interface Rule {
  /** The field of ControlPlaneLimits. */
  limit: string
  /** The field of the spec, as its user reads it. */
  what: string
  /** An expression that is true within the limit. */
  holds: string
  /** An expression for the value of the field as a text. */
  found: string
}

const preset = at('preset', "'nano'")
const exposeType = at('expose.type', "'none'")
const version = at('version', "''")
const podPermissions: OfSpec = (spec) =>
  `(${runsPods(spec)} ? ${at('sync.pods.allow', '[]')(spec)} : [])`
const hasScheduler: OfSpec = (spec) =>
  `(${runsPods(spec)} && ${at('sync.scheduler', "'host'")(spec)} == 'virtual')`

const hasKine = has('store.kine')
const hasEtcd: OfSpec = (spec) => `!${hasKine(spec)}`

/** The images of a spec, those that it leaves to vplane included. */
const images: OfSpec = (spec) =>
  `([${at('images.registry', "'registry.k8s.io'")(spec)}, ${at('images.helper', quoted(HELPER_IMAGE))(spec)}]${[
    'sync.image',
    'sync.dnsImage',
    'keeper.image',
  ]
    .map((path) => ` + (${has(path)(spec)} ? [${spec}.${path}] : [])`)
    .join('')} + (${hasKine(spec)} ? [${at('images.kine', quoted(kineImageOf({})))(spec)}] : []))`

/** Refuses what exceeds the ControlPlaneLimits of the namespace. What exceeded them before a change may stay. */
export function limitsPolicy(): PolicyOptions {
  return {
    name: 'controlplanes-limits.vplane.dev',
    hasLimits: true,
    variables: [
      { name: 'images', expression: added(images) },
      { name: 'podPermissions', expression: added(podPermissions) },
    ],
    validations: [
      choiceRule({ limit: 'presets', what: '"preset"' }, preset),
      versionRule(),
      replicasRule('etcd', hasEtcd),
      replicasRule('apiServer'),
      replicasRule('controllerManager'),
      replicasRule('sync', runsPods),
      replicasRule('scheduler', hasScheduler),
      storageRule(),
      choiceRule({ limit: 'expose', what: '"expose.type"' }, exposeType),
      imagesRule(),
      ...Object.entries(LIMITED_FEATURES).map(([name, feature]) => featureRule(name, feature)),
      podPermissionsRule(),
    ],
  }
}

/** The same for the `scale` subresource. */
export function scalePolicy(): PolicyOptions {
  const [now, before] = [at('replicas', '0')('object.spec'), at('replicas', '0')('oldObject.spec')]
  const rule = limited({
    limit: 'maxReplicas',
    what: '"apiServer.replicas"',
    holds: `${now} <= params.spec.maxReplicas || ${now} <= ${before}`,
    found: `string(${now})`,
  })
  return {
    name: 'controlplanes-scale.vplane.dev',
    hasLimits: true,
    resource: 'controlplanes/scale',
    validations: [rule],
  }
}

function limited({ found, holds, limit, what }: Rule): Validation {
  const path = `params.spec.${limit}`
  const allowed = limit.startsWith('max')
    ? `string(${path})`
    : `(${path}.size() == 0 ? 'none' : ${path}.join(', '))`
  const message = [
    quoted(`${what} is "`),
    found,
    quoted(`", and "${limit}" in the ControlPlaneLimits "`),
    'params.metadata.name',
    quoted('" allows: '),
    allowed,
  ]
  return forbidden(`!has(${path}) || ${holds}`, message.join(' + '))
}

/** For a field that has one of several values; "none" is never refused. */
function choiceRule(rule: Pick<Rule, 'limit' | 'what'>, value: OfSpec): Validation {
  const now = value('object.spec')
  const holds = `${now} == 'none' || ${now} in params.spec.${rule.limit} || ${isAsBefore(value)}`
  return limited({ ...rule, holds, found: now })
}

function versionRule(): Validation {
  const now = version('object.spec')
  const isAllowed = `params.spec.versions.exists(one, ${now} == one || ${now}.startsWith(one + '.'))`
  return limited({
    limit: 'versions',
    what: '"version"',
    holds: `${isAllowed} || ${isAsBefore(version)}`,
    found: now,
  })
}

function replicasRule(
  component: Exclude<keyof Preset, 'kine' | 'storageSize'>,
  exists?: OfSpec,
): Validation {
  const table = Object.entries(PRESETS).map(
    ([name, defaults]) => `${quoted(name)}: ${defaults[component].replicas}`,
  )
  // The schema has numbers for members of etcd, which are whole ones.
  const value: OfSpec = (spec) => {
    const count = `(${has(`${component}.replicas`)(spec)} ? int(${spec}.${component}.replicas) : {${table.join(', ')}}[${preset(spec)}])`
    return exists === undefined ? count : `(${exists(spec)} ? ${count} : 0)`
  }
  const [now, before] = [value('object.spec'), value('oldObject.spec')]
  return limited({
    limit: 'maxReplicas',
    what: `"${component}.replicas"`,
    holds: `${now} <= params.spec.maxReplicas || (oldObject != null && ${now} <= ${before})`,
    found: `string(${now})`,
  })
}

function storageRule(): Validation {
  const table = Object.entries(PRESETS).map(
    ([name, { storageSize }]) => `${quoted(name)}: ${quoted(storageSize)}`,
  )
  const value: OfSpec = (spec) =>
    `(${hasVolumes(spec)} ? ${at('storage.size', `{${table.join(', ')}}[${preset(spec)}]`)(spec)} : '0')`
  const now = value('object.spec')
  const isWithin = `(isQuantity(${now}) && quantity(${now}).compareTo(quantity(params.spec.maxStorageSize)) <= 0)`
  return limited({
    limit: 'maxStorageSize',
    what: '"storage.size"',
    holds: `${isWithin} || ${isAsBefore(value)}`,
    found: now,
  })
}

function imagesRule(): Validation {
  // What follows a host after a colon is a port, and so another registry.
  const ends = "(one.contains('/') ? ['/', ':', '@'] : ['/'])"
  const isFrom = `image == one || ${ends}.exists(end, image.startsWith(one + end))`
  const isAllowed = `params.spec.images.exists(one, ${isFrom})`
  return limited({
    limit: 'images',
    what: 'an image or registry',
    holds: `variables.images.all(image, ${isAllowed})`,
    found: `variables.images.filter(image, !${isAllowed}).join(', ')`,
  })
}

function featureRule(name: string, { isUsed, value }: Feature): Validation {
  const message = [
    quoted(`"${name}" is not among the "features" in the ControlPlaneLimits "`),
    'params.metadata.name',
    quoted('"'),
  ]
  const isListed = `${quoted(name)} in params.spec.features`
  const alternatives = [isListed, `!${isUsed('object.spec')}`, isAsBefore(value)]
  return forbidden(
    `!has(params.spec.features) || ${alternatives.join(' || ')}`,
    message.join(' + '),
  )
}

function podPermissionsRule(): Validation {
  const isListed = 'one in params.spec.podPermissions'
  return limited({
    limit: 'podPermissions',
    what: '"sync.pods.allow"',
    holds: `variables.podPermissions.all(one, ${isListed})`,
    found: `variables.podPermissions.filter(one, !(${isListed})).join(', ')`,
  })
}

function isAsBefore(value: OfSpec): string {
  return `(oldObject != null && ${value('object.spec')} == ${value('oldObject.spec')})`
}
