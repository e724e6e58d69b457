'use strict';

class CubeStoreHandler {
  constructor() {
    throw new Error('Cube Store is not part of this installation');
  }
}

module.exports = { CubeStoreHandler, isCubeStoreSupported: () => false };
