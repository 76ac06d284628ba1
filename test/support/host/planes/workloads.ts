import { AGNHOST_IMAGE, BUSYBOX_IMAGE } from '../../../lab/images/lab-images.ts'
import { NODE_IMAGE } from '../../../lab/images/node-recipe.ts'

/** A container with what is said, and an image that is there already. */
export type TestContainer = { name: string } & Record<string, unknown>

const COMMON = { imagePullPolicy: 'IfNotPresent' }

/** A container that answers HTTP on port 8080: `/hostname` with the name of its pod. */
export function serverContainer(more: object = {}): TestContainer {
  const command = ['/agnhost', 'netexec', '--http-port=8080']
  return { name: 'server', ...COMMON, image: AGNHOST_IMAGE, command, ...more }
}

/** A container that runs a script of the shell. */
export function shellContainer(name: string, script: string, more: object = {}): TestContainer {
  return { name, ...COMMON, image: BUSYBOX_IMAGE, command: ['sh', '-c', script], ...more }
}

/** A container that runs a script with Node.js. */
export function nodeContainer(name: string, script: string, more: object = {}): TestContainer {
  return { name, ...COMMON, image: NODE_IMAGE, command: ['node', '-e', script], ...more }
}

/** A pod that ends soon after it is told to. */
export function pod(name: string, containers: readonly object[], spec: object = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { ...podSpec(containers), ...spec },
  }
}

/** A Deployment whose pods it finds by the label `app`, as all that are made here. */
export function deployment(
  name: string,
  { containers, replicas }: { replicas: number; containers: readonly object[] },
) {
  const selector = { matchLabels: { app: name } }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector, template: templateOf(name, containers) },
  }
}

/** Two servers, for a headless Service of the same name. */
export function statefulSet(name: string) {
  const selector = { matchLabels: { app: name } }
  const template = templateOf(name, [serverContainer()])
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: { replicas: 2, serviceName: name, selector, template },
  }
}

/** A claim of a volume. */
export function claim(name: string, spec: object = claimSpec('1Mi')) {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }
}

/** What a claim asks for: so much, `16Mi`, and more. */
export function claimSpec(storage: string, more: object = {}) {
  return { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more }
}

/** A Service for servers. */
export function service(name: string, spec: object = {}) {
  const ports = [{ port: 8080 }]
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports, ...spec },
  }
}

export function job(name: string, containers: readonly object[], spec: object = {}) {
  const template = { spec: { ...podSpec(containers), restartPolicy: 'Never' } }
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { ...spec, template } }
}

/** A CronJob whose time comes every minute. */
export function cronJob(name: string, containers: readonly object[]) {
  const { spec } = job(name, containers)
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '* * * * *', jobTemplate: { spec } },
  }
}

function templateOf(name: string, containers: readonly object[]) {
  return { metadata: { labels: { app: name } }, spec: podSpec(containers) }
}

function podSpec(containers: readonly object[]) {
  return { containers, terminationGracePeriodSeconds: 1 }
}
