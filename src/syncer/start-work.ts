import type { KubeObject } from '../shared/kube/kube-object.ts'
import { SYNCER_PORTS } from '../manifests/ports.ts'
import { ensureClasses } from './classes/ensure-classes.ts'
import { hostClasses, wantedClasses } from './classes/offered-classes.ts'
import { createReporter, type Report } from './events/reporter.ts'
import type { Leading } from './leader/lead.ts'
import type { ReadUsage } from './metrics/host-usage.ts'
import { offerMetrics } from './metrics/offer-metrics.ts'
import { reportPolicyEffect, whetherReached } from './network/report-policy-effect.ts'
import { KubeletPorts } from './nodes/kubelet-ports.ts'
import { VirtualNodes } from './nodes/virtual-nodes.ts'
import type { Caches } from './open-caches.ts'
import { podTranslator } from './pods/pod-translator.ts'
import type { SyncerSettings } from './scope/settings.ts'
import { type Loops, startLoops } from './start-loops.ts'
import type { Surroundings } from './context/sync-context.ts'
import type { SyncScope } from './scope/sync-scope.ts'
import type { SyncerPki } from './tls/syncer-pki.ts'

export interface WorkOptions {
  scope: SyncScope
  settings: Pick<SyncerSettings, 'deniedAddress' | 'kubeletHost' | 'kubernetesVersion' | 'rules'>
  pki: Pick<SyncerPki, 'current'>
  caches: Caches
  surroundings: Surroundings
  readUsage: ReadUsage
  onError: (what: string, error: unknown) => void
}

/** Starts the work of the leading syncer: it syncs objects, maintains the plane's nodes and classes, and offers metrics. */
export function startWork(
  { host, plane, signal }: Leading,
  { caches, onError, pki, readUsage, scope, settings, surroundings }: WorkOptions,
): Loops {
  const now = () => new Date()
  const ports = new KubeletPorts(caches.nodes.virtual, SYNCER_PORTS.kubelet)
  const known = {
    ...caches,
    scope,
    surroundings,
    hostClasses: () => hostClasses(settings.rules, caches),
  }
  const context = {
    ...known,
    plane,
    host,
    now,
    settled: new WeakMap<KubeObject, KubeObject>(),
    unreadable: new WeakMap<KubeObject, Report>(),
    translatePod: podTranslator(known),
    reporter: createReporter(plane, { now, onError: (error) => onError('event', error) }),
    nodeSettings: {
      endpoint: settings.kubeletHost,
      portOf: (name: string) => ports.of(name),
      kubernetesVersion: settings.kubernetesVersion,
      scheduler: settings.rules.scheduler,
    },
    onError,
  }
  const nodes = new VirtualNodes({
    ...context,
    pods: caches.pods.virtual,
    showsAll: settings.rules.scheduler === 'virtual',
  })
  const loops = startLoops({ ...context, ensureNode: (name) => nodes.ensure(name) }, signal)
  const { deniedAddress, kubeletHost, rules } = settings
  const wanted = () => wantedClasses(rules, caches)
  const classes = ensureClasses({ plane, classes: caches, wanted, onError }, signal)
  const endpoint = { host: kubeletHost, port: SYNCER_PORTS.metrics }
  const offering = offerMetrics(
    { plane, readUsage, endpoint, authority: pki.current.authority, onError },
    signal,
  )
  const reachesDenied = deniedAddress && whetherReached(deniedAddress)
  const effect =
    reachesDenied && reportPolicyEffect({ host, plane, scope, reachesDenied, onError }, signal)
  return {
    ended: Promise.all([loops.ended, nodes.run(signal), classes, offering, effect]),
    metrics: loops.metrics,
  }
}
