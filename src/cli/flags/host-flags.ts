import { Flags } from '@oclif/core'
import type { HostPlacement } from '../../control-plane/driver/requests.ts'
import { VplaneError } from '../../shared/errors.ts'
import { inHelpGroup } from './flags.ts'
import { hostClusterFlags } from './host-cluster-flags.ts'
import type { Given } from './given-flags.ts'

/** Where these flags stand in the help of a command. */
export const HOST_GROUP = 'In a host cluster'

/** `--helper-image`: what runs vplane's own parts in a host cluster. */
export function helperImageFlag() {
  return Flags.string({
    summary: "Image with Node.js for vplane's own components, such as a mirrored one.",
    helpValue: 'IMAGE',
    helpGroup: HOST_GROUP,
  })
}

/** `--share-namespace`: whether a plane runs pods beside others. */
export function shareNamespaceFlag() {
  return Flags.boolean({
    summary:
      'Allows a plane that runs pods in a namespace with other planes; its syncer can read their Secrets.',
  })
}

/** The flags of a plane in a host cluster. */
export const renderFlags = inHelpGroup(HOST_GROUP, {
  namespace: Flags.string({
    char: 'n',
    summary:
      'Host namespace; by default that of the host context, or vplane-NAME for a plane that runs pods.',
    helpValue: 'NAMESPACE',
  }),
  ...hostClusterFlags(),
  preset: Flags.option({
    options: ['nano', 'small', 'ha'] as const,
    summary: 'Number and size of the pods.',
  })(),
  'storage-class': Flags.string({ summary: "StorageClass of etcd's volumes.", helpValue: 'NAME' }),
  'storage-size': Flags.string({
    summary: "Size of each of etcd's volumes, such as 2Gi.",
    helpValue: 'SIZE',
  }),
  expose: Flags.option({
    options: ['none', 'node-port', 'load-balancer', 'ingress'] as const,
    summary: 'How clients reach the API without a tunnel.',
  })(),
  'expose-host': Flags.string({
    summary: 'Host name or IP address for --expose.',
    helpValue: 'HOST',
  }),
  sync: Flags.boolean({ summary: "Runs the plane's pods in its host namespace." }),
  'sync-nodes': Flags.boolean({
    summary: "As --sync, with the host's nodes; needs cluster-wide rights.",
  }),
  'sync-classes': Flags.boolean({
    summary: "As --sync, with the host's storage, ingress, runtime and priority classes.",
  }),
  'service-monitor': Flags.boolean({
    summary: 'Creates ServiceMonitors for the Prometheus operator.',
  }),
  'image-registry': Flags.string({
    summary: 'Registry of the images instead of registry.k8s.io.',
    helpValue: 'REGISTRY',
  }),
  'helper-image': helperImageFlag(),
  templates: Flags.directory({
    summary: "Folder with manifests that replace or extend vplane's own.",
    helpValue: 'FOLDER',
  }),
})

/** The flags of a new plane in a host cluster. */
export const hostFlags = inHelpGroup(HOST_GROUP, {
  ...renderFlags,
  'create-namespace': Flags.boolean({
    allowNo: true,
    summary: 'Creates the namespace if it is missing; this is the default.',
  }),
  'share-namespace': shareNamespaceFlag(),
  'skip-preflight': Flags.boolean({ summary: 'Skips the preflight checks.' }),
})

export type GivenHostFlags = Given<typeof hostFlags> & {
  /** Only `create` has these. */
  adopt?: boolean | undefined
  declare?: boolean | undefined
}

/** Flags of the host that set a field of the spec. */
const SPEC_FIELDS = {
  preset: 'preset',
  'storage-class': 'storage.className',
  'storage-size': 'storage.size',
  expose: 'expose.type',
  'expose-host': 'expose.host',
  'image-registry': 'images.registry',
  'helper-image': 'images.helper',
  sync: 'sync.enabled',
  'sync-nodes': 'sync.nodes',
  'sync-classes': 'sync.classes',
  'service-monitor': 'metrics.serviceMonitor',
} as const satisfies Partial<Record<keyof GivenHostFlags, string>>

/** Host flags that set no field of the spec. */
const OTHERS = [
  'namespace',
  'host-context',
  'create-namespace',
  'templates',
  'share-namespace',
  'skip-preflight',
  'adopt',
  'declare',
] as const satisfies Array<keyof GivenHostFlags>

/** The fields of the spec that host flags set, as pairs of `--set`. */
export function hostFieldPairs(flags: GivenHostFlags): string[] {
  const isMore = flags['sync-nodes'] === true || flags['sync-classes'] === true
  const given = { ...flags, ...(isMore ? { sync: true } : {}) }
  return Object.entries(SPEC_FIELDS).flatMap(([flag, path]) => {
    const value = Object.entries(given).find(([name]) => name === flag)?.[1]
    return value === undefined ? [] : [`${path}=${value}`]
  })
}

/** How a plane is put into a host namespace, by flags. */
export function hostRequestOf(flags: GivenHostFlags, namespace: string): HostPlacement {
  return {
    namespace,
    createNamespace: flags['create-namespace'] ?? true,
    shareNamespace: flags['share-namespace'] ?? false,
    skipPreflight: flags['skip-preflight'] ?? false,
    templates: flags.templates,
    adopt: flags.adopt ?? false,
  }
}

/** @throws {VplaneError} `USAGE` naming a flag; those that set a field of the spec are refused with the field. */
export function refuseHostFlags(flags: GivenHostFlags): void {
  const given = OTHERS.find((name) => flags[name] !== undefined && flags[name] !== false)
  if (given !== undefined) {
    throw new VplaneError('USAGE', `--${given} needs the driver "kubernetes"`, {
      hints: ['--driver kubernetes runs the plane in a host cluster'],
    })
  }
}
