/** How a plane is run: as pods in a host namespace, or as processes on this machine. */
export type DriverName = 'kubernetes' | 'local'
