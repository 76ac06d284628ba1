// The entry `vplane`, for programs that start control planes.
export type {
  Api,
  Component,
  ControlPlane,
  SharedControlPlane,
  User,
  UserOptions,
  Webhooks,
  WebhookServing,
} from './types/control-plane.ts'
export type { ComponentOptions, ControlPlaneSpec } from './types/control-plane-spec.ts'
export type { Manifests, StartOptions, WebhookOptions } from './types/start-options.ts'
export { startControlPlane } from './start-control-plane.ts'
export type { ErrorCode } from '../shared/errors.ts'
export { VplaneError } from './types/user-error.ts'
export type { KubeObject, WatchEvent } from '../shared/kube/kube-object.ts'
