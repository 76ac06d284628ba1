import { counted } from '../../shared/text/counted.ts'
import { componentWords } from '../../control-plane/plane/plane-words.ts'
import { ROTATED_KEYS, ROTATION_STAGES } from '../../control-plane/rotation/rotation.ts'
import { ROTATION_WORDS } from '../../control-plane/rotation/rotation-words.ts'
import type { PlanStep, StepAction, StepOf } from '../../shared/plan-step.ts'

/** What each step does, in words. */
const WORDS: { [Action in StepAction]: (step: StepOf<Action>) => string } = {
  'create-object': ({ kind, name }) => `create ${kind} "${name}"`,
  'change-object': ({ kind, name }) => `change ${kind} "${name}"`,
  'delete-object': ({ kind, name }) => `remove ${kind} "${name}"`,

  'create-component': ({ component }) => `create ${component}`,
  'start-component': ({ component }) => `start ${componentWords(component)}`,
  'stop-component': ({ component }) => `stop ${componentWords(component)}`,
  'restart-component': ({ component }) => `restart ${component}`,
  'replace-pods': ({ component }) => `replace the pods of ${componentWords(component)}`,
  'scale-component': ({ component, from, to }) => `run ${to} of ${component} instead of ${from}`,
  'change-paused-component': ({ component }) => `change ${component}, which is paused`,
  'start-instance': ({ instance }) => `restore and start ${instance}`,
  'restart-instance': ({ instance }) => `restart ${instance}`,
  'stop-components': () => 'stop its components',
  'stop-others': () => 'stop all components but etcd',
  'start-components': () => 'start its components',
  'continue-change': () => 'finish the interrupted change',
  'renew-server-certificate': () => 'issue the certificate of its API again',

  'move-endpoint': ({ address }) =>
    `give the endpoint another address, because ${address} cannot be the first of a range`,
  'readdress-services': ({ services }) =>
    `give other addresses to ${counted(services.length, 'Service')}`,
  'start-pods': ({ workloads }) => `start the pods of ${counted(workloads.length, 'workload')}`,
  'stop-pods': ({ pods }) => `stop ${counted(pods.length, 'pod')}`,
  'delete-synced': ({ count }) => `remove ${counted(count, 'object')} that its syncer created`,

  'add-member': ({ member }) => `add ${member} to etcd`,
  'remove-member': ({ member, withVolume }) =>
    `remove ${member} from etcd${withVolume ? ', with its volume' : ''}`,
  'replace-data': ({ member }) => `replace the data of ${member} by that of the other members`,
  'free-space': () => 'compact etcd, defragment each member, and disarm the alarm',
  'disarm-alarms': () => 'disarm the alarms of etcd',
  'wait-for-majority': () => 'wait until etcd has a majority, and repair the rest',
  'regain-majority': () =>
    'start broken members on empty volumes, until they and those that have data are a majority',
  'save-survivor': ({ members, more, revision }) =>
    `take a snapshot of ${members.join(' or ')}, up to revision ${revision}${
      more ? ' and what else its log contains' : ''
    }, and keep it`,
  'start-new-etcd': () =>
    'start a new etcd with all of its members from that; the current data of each member is kept beside it',

  'rotate-keys': ({ components, keys, stage }) =>
    `${rotationWords(keys, stage)}; replaces ${components.map(componentWords).join(', ')}`,
  'renew-certificates': ({ certificates }) =>
    `renew while the plane runs: ${certificates.join(', ')}`,

  'take-snapshot': () => 'take a snapshot of its data, and keep it on this machine',
  'load-data': ({ source }) => `load ${source}, with revisions above all earlier ones`,
  'create-from-bundle': ({ asClone, name }) =>
    `create "${name}" with ${asClone ? 'new' : 'its'} CAs and keys, without starting it`,
  'load-bundle': ({ source }) => `load ${source}`,
  'delete-snapshots': ({ snapshots }) =>
    `delete its snapshots on this machine: ${snapshots.join(', ')}`,
  'delete-volumes': ({ volumes }) => `delete the volumes of its pods: ${volumes.join(', ')}`,
  'delete-all': ({ keepData }) =>
    keepData
      ? 'delete everything but its data and its keys'
      : 'delete its data, its keys and everything else',
  'remove-context': () => 'remove its context from the kubeconfig, and its tunnel',

  'delete-former': ({ place, volumes }) =>
    `remove its data from before an earlier move: ${place}${withVolumes(volumes)}`,
  'create-stopped': ({ name, place }) => `create "${name}" without starting it: ${place}`,
  fence: ({ place }) => `fence it, so that no client uses it: ${place}`,
  'transfer-data': () => 'move its data there, and compare all keys',
  'start-there': () => 'start it there',
  'point-context': () => 'point its context there',
  'pause-there': () => 'pause it there, as it was here',
  'keep-fenced': () => 'keep it at its old place, fenced',
  'delete-source': ({ place, volumes }) =>
    `remove it from its old place: ${place}${withVolumes(volumes)}`,
  'stop-unless-used': ({ place }) => `stop it, unless it was used there: ${place}`,
  'delete-arrival': ({ place }) => `remove it from its new place: ${place}`,
  'leave-paused': ({ place }) => `leave it paused where it was: ${place}`,
  'start-again': ({ place }) => `start it where it was: ${place}`,
}

/** A step as people read it: `replace the pods of kube-apiserver`. */
export function stepText(step: PlanStep): string {
  const words = worded(step)
  return step.stage === undefined ? words : `${step.stage}: ${words}`
}

/** Steps as a section of what a command is about to do. */
export function stepLines(steps: readonly PlanStep[]): string[] {
  return steps.length === 0
    ? ['There is nothing to do.']
    : ['Steps:', ...steps.map((step, index) => `  ${index + 1}. ${stepText(step)}`)]
}

function worded<Action extends StepAction>(step: StepOf<Action>): string {
  return WORDS[step.action](step)
}

function rotationWords(keys: string, stage: string | undefined): string {
  const rotated = ROTATED_KEYS.find((one) => one === keys)
  const taken = ROTATION_STAGES.find((one) => one === stage)
  return rotated === undefined || taken === undefined
    ? `rotate ${keys}`
    : ROTATION_WORDS[rotated].stages[taken].does
}

function withVolumes(volumes: readonly string[]): string {
  return volumes.length === 0 ? '' : `, with the data on ${volumes.join(', ')}`
}
