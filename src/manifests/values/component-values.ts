import { describeComponents } from '../../control-plane/components/describe-components.ts'
import { type HostedName, SPEC_SECTION } from '../../control-plane/plane/plane.ts'
import { kineImageOf } from '../../control-plane/store/kine-image.ts'
import { quantityValue } from '../../control-plane/spec/fields/quantity.ts'
import type { TemplateValues } from '../templates/fill-template.ts'
import { DATABASE_ENDPOINT } from '../database-files.ts'
import { hasPods, hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import { objectLabels, objectName, selectorLabels } from '../object-names.ts'
import { placementOf } from './placement.ts'
import { podConfiguration } from './pod-configuration.ts'
import { checksumOf, filesOfPod, filesReadOnce, secretKeyOf } from '../pod-files.ts'
import { memberFile, podLayout } from '../pod-layout.ts'

/** The part of the limit for Go's runtime: the rest is for memory that it does not count, such as mapped files. */
const PART_OF_LIMIT = 0.9

/** The template values that every component has; undefined for a component that the plane does not have. */
export function componentValues(
  input: ManifestInput,
  component: HostedName,
): TemplateValues | undefined {
  const { etcdMembers, files, name, spec } = input
  const { pods, ...host } = hostOf(spec)
  const workload = host[SPEC_SECTION[component]]
  if (workload === undefined) {
    return undefined
  }
  const { replicas, resources } = workload
  const selector = selectorLabels(name, component)
  const labels = objectLabels(name, component)
  const secret = filesOfPod(component, files)
  const configuration = podConfiguration(input, component)
  return {
    name: objectName(name, component),
    labels,
    selector,
    podLabels: { ...pods.labels, ...labels },
    podAnnotations: {
      ...pods.annotations,
      'vplane.dev/secret-checksum': checksumOf(filesReadOnce(component, files)),
      'vplane.dev/configuration-checksum': checksumOf(configuration.readOnce),
    },
    replicas: hasPods(input, component)
      ? component === 'etcd'
        ? (etcdMembers ?? replicas)
        : replicas
      : 0,
    image: imageOf(component, spec),
    resources,
    goMemoryLimit: goMemoryLimit(resources.limits['memory']),
    ...processValues(input, component),
    ...placementOf(selector, { replicas, affinity: pods.affinity }),
    secretData: toSecretData(secret),
    // kine has its connection in a variable.
    secretItems: Object.keys(secret)
      .filter((path) => path !== DATABASE_ENDPOINT)
      .map((path) => ({ key: secretKeyOf(path), path })),
    configuration: configuration.files,
  }
}

/** Upstream's image: https://github.com/kubernetes/k8s.io/tree/main/registry.k8s.io */
function imageOf(component: HostedName, spec: ManifestInput['spec']): string {
  const { images } = hostOf(spec)
  if (component === 'kine') {
    return images.kine ?? kineImageOf(spec)
  }
  const tag = component === 'etcd' ? `${spec.etcdVersion}-0` : `v${spec.version}`
  return `${images.registry}/${component}:${tag}`
}

/** GOMEMLIMIT for a container with this memory limit; `off` without one. */
export function goMemoryLimit(limit: string | undefined): string {
  const bytes = quantityValue(limit ?? '')
  return bytes === undefined ? 'off' : `${Math.floor((bytes * PART_OF_LIMIT) / 2 ** 20)}MiB`
}

function processValues(input: ManifestInput, component: HostedName): TemplateValues {
  const layout = podLayout(input)
  // The kubelet replaces it with the pod's name: every member has its own file.
  const etcd = { ...layout.etcd, configurationFile: memberFile('$(POD_NAME)') }
  const process = describeComponents(input.spec, { ...layout, etcd }).find(
    (one) => one.name === component,
  )
  return { args: process?.args, goGc: process?.env['GOGC'] }
}

/** Files as the data of a Secret. */
export function toSecretData(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [
      secretKeyOf(file),
      Buffer.from(text).toString('base64'),
    ]),
  )
}
