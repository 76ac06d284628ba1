/** What each kind of step is about. Components, members and places are named as people know them. */
interface StepParts {
  /** An object of a plane on the host. */
  'create-object': { kind: string; name: string }
  'change-object': { kind: string; name: string }
  'delete-object': { kind: string; name: string }

  /** `component` is that of a plane, `instance` its pod or process. */
  'create-component': { component: string }
  'start-component': { component: string }
  'stop-component': { component: string }
  'restart-component': { component: string }
  'replace-pods': { component: string }
  'scale-component': { component: string; from: number; to: number }
  /** Its pods change when the plane starts. */
  'change-paused-component': { component: string }
  'start-instance': { instance: string }
  'restart-instance': { instance: string }
  'stop-components': object
  'stop-others': object
  'start-components': object
  'continue-change': object
  'renew-server-certificate': object

  /** A plane that begins or ceases to run pods. Services, workloads and pods are named as in the plane. */
  'move-endpoint': { address: string }
  'readdress-services': { services: string[] }
  'start-pods': { workloads: string[] }
  'stop-pods': { pods: string[] }
  /** What its syncer created on the host for objects of the plane, which stay. */
  'delete-synced': { count: number }

  /** A member of etcd. */
  'add-member': { member: string }
  'remove-member': { member: string; withVolume: boolean }
  'replace-data': { member: string }
  'free-space': object
  'disarm-alarms': object
  'wait-for-majority': object
  'regain-majority': object
  /** Of the member with the latest data, up to a revision and `more`, what its log has besides. */
  'save-survivor': { members: string[]; revision: number; more: boolean }
  'start-new-etcd': object

  /** Keys of a plane in a stage of their rotation: `stage` names it. */
  'rotate-keys': { keys: string; components: string[] }
  'renew-certificates': { certificates: string[] }

  'take-snapshot': object
  'load-data': { source: string }
  'create-from-bundle': { name: string; asClone: boolean }
  'load-bundle': { source: string }
  'delete-snapshots': { snapshots: string[] }
  'delete-volumes': { volumes: string[] }
  'delete-all': { keepData: boolean }
  'remove-context': object

  /** A move. `place` is where a plane is, as `driver local`. */
  'delete-former': { place: string; volumes: string[] }
  'create-stopped': { name: string; place: string }
  fence: { place: string }
  'transfer-data': object
  'start-there': object
  'point-context': object
  'pause-there': object
  'keep-fenced': object
  'delete-source': { place: string; volumes: string[] }
  'stop-unless-used': { place: string }
  'delete-arrival': { place: string }
  'leave-paused': { place: string }
  'start-again': { place: string }
}

export type StepAction = keyof StepParts

export type StepOf<Action extends StepAction> = StepParts[Action] & {
  action: Action
  /** The stage of a rotation, or of an upgrade with several stages: `Kubernetes 1.36.3 as 1.35.4`. */
  stage?: string
}

/**
 * A step of what a command is about to do, or would do; `--json` shows it as it is. The rooms below the entries do not
 * word it: the CLI has words for each action.
 */
export type PlanStep = { [Action in StepAction]: StepOf<Action> }[StepAction]
