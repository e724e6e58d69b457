/** A measure, dimension or segment as the engine describes it. */
export interface MetaMember {
  name: string;
  title?: string;
  description?: string;
  type?: string;
  aggType?: string;
  isVisible?: boolean;
}

/** A cube or view as the engine describes it. */
export interface MetaCube {
  name: string;
  type?: string;
  title?: string;
  description?: string;
  isVisible?: boolean;
  measures?: MetaMember[];
  dimensions?: MetaMember[];
  segments?: MetaMember[];
}
