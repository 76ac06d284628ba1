import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KINE_REPOSITORY } from '../../../src/control-plane/store/kine-image.ts'
import { HELPER_IMAGE } from '../../../src/control-plane/spec/resolve-host-spec.ts'
import { hostResourceOf } from '../../../src/drivers/kubernetes/host/host-resource.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import {
  added,
  at,
  begins,
  has,
  hasRight,
  hasVolumes,
  type OfSpec,
  quoted,
  runsPods,
} from './cel.ts'
import { demanded, inPairs } from './demanded.ts'
import { POD_TEMPLATES } from './limited-features.ts'
import type { PolicyOptions, Validation } from './policy.ts'

/** How many new Secrets of a spec are looked up by their names. For more, the user must have the right to get all. */
const MAX_SECRETS = 4

/** What every plane has. */
const PARTS = '{endpoint/service,plane/*,etcd/*,kube-apiserver/*,kube-controller-manager/*}.yaml'

const DEFAULT_REGISTRY = 'registry.k8s.io'
const DEFAULT_REPOSITORY = HELPER_IMAGE.slice(0, HELPER_IMAGE.lastIndexOf(':'))

const exposeType = at('expose.type', "'none'")
const podPermissions = at('sync.pods.allow', '[]')
/** The fields that name one Secret. */
const SECRETS = [
  'backup.secret',
  'store.kine.postgres.credentialsSecret',
  'store.kine.mysql.credentialsSecret',
]
const secretNames: OfSpec = (spec) =>
  `(${[
    at('images.pullSecrets', '[]')(spec),
    ...SECRETS.map((path) => `(${has(path)(spec)} ? [${spec}.${path}] : [])`),
  ].join(' + ')})`

/** Demands the rights that the fields of a spec use; for those of `sync` see `syncerPolicies`. */
export function planePolicy(): PolicyOptions {
  return {
    name: 'controlplanes.vplane.dev',
    variables: [
      { name: 'secrets', expression: added(secretNames) },
      {
        name: 'getsSecrets',
        expression: hasRight({ verb: 'get', group: '', resource: 'secrets' }),
      },
    ],
    validations: [
      ...baseRules(),
      ...secretRules(),
      ...exposeRules(),
      ...imageRules(),
      podPermissionRule(),
      demanded({
        what: '"metrics.serviceMonitor"',
        when: begins(at('metrics.serviceMonitor', 'false')),
        rights: [{ verb: 'create', group: 'monitoring.coreos.com', resource: 'servicemonitors' }],
        hint: 'leave it out',
      }),
      ownCredentialsRule(),
      podTemplateRule(),
    ],
  }
}

/**
 * Anyone who may create pods in a namespace can read its Secrets and use its ServiceAccounts, and so controls the planes
 * that are there. This is why other changes need only the rights for what they bring in.
 */
function baseRules(): Validation[] {
  const what = 'a ControlPlane'
  const always = demanded({
    what: 'the spec of a ControlPlane',
    rights: [{ verb: 'create', group: '', resource: 'pods' }],
  })
  const created = resourcesOfPlane().map(({ group, resource }) => ({
    verb: 'create',
    group,
    resource,
  }))
  return [
    always,
    ...inPairs(created).map((rights) => demanded({ what, when: 'oldObject == null', rights })),
    demanded({
      what: 'a ControlPlane that stores its data in volumes',
      when: `oldObject == null && ${hasVolumes('object.spec')}`,
      rights: [{ verb: 'create', group: '', resource: 'persistentvolumeclaims' }],
      hint: 'set "ephemeral: true" if its data may be lost',
    }),
  ]
}

/** The resources in a namespace that a plane consists of, from its templates. */
function resourcesOfPlane(): Array<{ group: string; resource: string }> {
  const folder = join(packageRoot(), 'templates')
  const kinds = globSync(PARTS, { cwd: folder }).map((path) => {
    const text = readFileSync(join(folder, path), 'utf8')
    const [, apiVersion = ''] = /^apiVersion: (.+)$/m.exec(text) ?? []
    const [, kind = ''] = /^kind: (.+)$/m.exec(text) ?? []
    return hostResourceOf({ apiVersion, kind, metadata: {} }, 'x')
  })
  const resources = Map.groupBy(kinds, ({ group, resource }) => `${resource}.${group}`)
  return [...resources]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([, [first]]) => first ?? [])
}

function secretRules(): Validation[] {
  const named = Array.from({ length: MAX_SECRETS }, (_, index) =>
    demanded({
      what: 'a Secret in "images.pullSecrets", "backup.secret" or "credentialsSecret"',
      when: `variables.secrets.size() > ${index}`,
      unless: 'variables.getsSecrets',
      rights: [
        { verb: 'get', group: '', resource: 'secrets', name: `variables.secrets[${index}]` },
      ],
      hint: 'name another Secret',
    }),
  )
  const more = demanded({
    what: `more than ${MAX_SECRETS} Secrets`,
    when: `variables.secrets.size() > ${MAX_SECRETS} && !variables.getsSecrets`,
    rights: [{ verb: 'get', group: '', resource: 'secrets' }],
  })
  return [...named, more]
}

function exposeRules(): Validation[] {
  const isService: OfSpec = (spec) => `(${exposeType(spec)} in ['node-port', 'load-balancer'])`
  const isIngress: OfSpec = (spec) => `(${exposeType(spec)} == 'ingress')`
  const what = '"expose.type"'
  const hint = 'leave "expose" out'
  return [
    demanded({
      what,
      when: begins(isService),
      rights: [{ verb: 'create', group: '', resource: 'services' }],
      hint,
    }),
    demanded({
      what,
      when: begins(isIngress),
      rights: [{ verb: 'create', group: 'networking.k8s.io', resource: 'ingresses' }],
      hint,
    }),
  ]
}

/** `images` is no resource of an API, as the signers of certificates are none: RBAC grants its use by name. */
function imageRules(): Validation[] {
  const fields = [
    'images.registry',
    'images.helper',
    'images.kine',
    'sync.image',
    'sync.dnsImage',
    'keeper.image',
  ]
  return fields.map((path) => {
    const value = at(path, "''")
    const [now, before] = [value('object.spec'), value('oldObject.spec')]
    const isChanged = `(oldObject == null || ${now} != ${before})`
    const isRegistry = path === 'images.registry'
    const name = isRegistry ? now : repositoryOf(now)
    const isDefault = isRegistry
      ? `${now} in ['', ${quoted(DEFAULT_REGISTRY)}]`
      : `(${now} == '' || ${now}.startsWith(${quoted(`${DEFAULT_REGISTRY}/`)}) || ${name} == ${quoted(path === 'images.kine' ? KINE_REPOSITORY : DEFAULT_REPOSITORY)})`
    return demanded({
      what: `"${path}"`,
      when: `${isChanged} && !(${isDefault})`,
      rights: [{ verb: 'use', group: 'vplane.dev', resource: 'images', name }],
      hint: 'leave it out',
    })
  })
}

/** An image without its tag and digest; colons before a slash are those of ports. */
function repositoryOf(image: string): string {
  return `${image}.find('^(.*/)?[^:@/]+')`
}

/** Anyone who may write the labels of a namespace determines the level of its Pod Security. */
function podPermissionRule(): Validation {
  const level =
    "namespaceObject.metadata.?labels[?'pod-security.kubernetes.io/enforce'].orValue('')"
  const name = 'request.namespace'
  return demanded({
    what: '"sync.pods.allow"',
    when: `${runsPods('object.spec')} && ${addedPermissions()}.size() > 0`,
    unless: `${level} == 'privileged'`,
    rights: [{ verb: 'update', group: '', resource: 'namespaces', name }],
    hint: 'for the label pod-security.kubernetes.io/enforce=privileged of the namespace',
  })
}

/** A plane that begins to run pods brings in all of its permissions. */
function addedPermissions(): string {
  const list: OfSpec = (spec) => `(${runsPods(spec)} ? ${podPermissions(spec)} : [])`
  return added(list)
}

/** A template can have any containers, with any images. */
function podTemplateRule(): Validation {
  const { isUsed, value } = POD_TEMPLATES
  const isChanged = `(oldObject == null || ${value('object.spec')} != ${value('oldObject.spec')})`
  return demanded({
    what: '"podTemplate" of a component',
    when: `${isUsed('object.spec')} && ${isChanged}`,
    rights: [{ verb: 'use', group: 'vplane.dev', resource: 'podtemplates' }],
    hint: 'leave it out',
  })
}

/** Without a Secret, backups use the credentials of the program that makes them. */
function ownCredentialsRule(): Validation {
  const store: OfSpec = (spec) =>
    `(${has('backup.secret')(spec)} ? '' : ${at('backup.store', "''")(spec)})`
  const [now, before] = [store('object.spec'), store('oldObject.spec')]
  return demanded({
    what: '"backup.store" without "backup.secret"',
    when: `${now} != '' && (oldObject == null || ${now} != ${before})`,
    rights: [{ verb: 'use', group: 'vplane.dev', resource: 'backupstores', name: now }],
    hint: 'name a Secret with credentials in "backup.secret"',
  })
}
