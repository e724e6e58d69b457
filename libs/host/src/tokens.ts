/** What a service's providers may ask for besides `Database`: `constructor(@Inject(BUS) private readonly bus: Bus)`. */
export const BUS = Symbol('Bus');
export const LOGGER = Symbol('Logger');
export const METRICS = Symbol('Metrics registry');
export const SANDBOXES = Symbol('Sandboxes');
export const CONFIG = Symbol('Configuration');
