// The entry `vplane`: what a program that starts control planes imports.
export type {
  Api,
  Component,
  ControlPlane,
  SharedControlPlane,
  User,
  UserOptions,
  Webhooks,
  WebhookServing,
} from './control-plane.ts'
export type { ComponentOptions, ControlPlaneSpec } from './control-plane-spec.ts'
export type { Manifests, StartOptions, WebhookOptions } from './start-options.ts'
export { startControlPlane } from './start-control-plane.ts'
export { type ErrorCode, VplaneError } from '../shared/errors.ts'
export type { KubeObject, WatchEvent } from '../control-plane/plane-api.ts'
