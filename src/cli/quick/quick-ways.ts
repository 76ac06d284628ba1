/**
 * The quick ways that look at planes themselves, without the framework: a piece of the build of its own, since the entry
 * would otherwise be ten times as long.
 */
export { printPlanes } from './print-planes.ts'
export { quickHostConnect } from './quick-host-connect.ts'
