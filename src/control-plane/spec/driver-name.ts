/** The ways to run a plane: as pods in a host namespace, or as processes of this machine. */
export type DriverName = 'kubernetes' | 'local'
